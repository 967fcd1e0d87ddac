// Where nobody can move, the last state is what is true for ever.
//! verdict p violated
//! verdict q holds
//! weak p violated
//! weak q holds
//! strong p violated
//! strong q holds
byte n;
active proctype A() { n = 1; false }
ltl p { <> (n == 2) }
ltl q { <> [] (n == 1) }
