// A formula may look at the variables of a process.
//! verdict p holds
//! verdict q violated
active proctype A() { byte l; do :: l < 3 -> l++ :: else -> l = 0 od }
ltl p { [] (A:l <= 3) }
ltl q { [] (A[0]:l <= 2) }
