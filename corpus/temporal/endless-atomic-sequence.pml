// A process may stay in an atomic sequence for ever; the others then never move again.
//! verdict p violated
//! verdict q violated
//! verdict r holds
//! weak p violated
//! weak q violated
//! differs pan runs into its depth limit
byte x, y;
active proctype A() { byte l; atomic { l = 1; do :: l = 1 - l :: break od } }
active proctype B() { x = 1; y = 1 }
ltl p { [] ((x == 1) -> <> (y == 1)) }
ltl q { <> (y == 1) }
ltl r { [] (x <= 1) }
