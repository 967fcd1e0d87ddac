// `X` is about the very next state, so no step may be left out or merged.
//! verdict p holds
//! verdict q violated
//! verdict r holds
byte x; bit y;
active proctype A() { byte l; l = 1; x = 1; x = 2 }
ltl p { X X (x == 1) }
ltl q { X (x == 1) }
ltl r { (x == 0) && X ((x == 0) && X ((x == 1) && X (x == 2))) }
