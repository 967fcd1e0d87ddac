// A process that stays in an atomic sequence for ever makes no progress.
//! verdict progress violated
//! weak progress violated
//! differs pan runs into its depth limit
byte n;
active proctype A() { n = 1; atomic { n = 2; do :: n = 5 - n od } }
active proctype B() { do :: n = 0; progress: n = 1 od }
