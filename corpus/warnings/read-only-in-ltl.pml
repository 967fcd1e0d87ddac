// A variable that is read only by a formula is read.
//! rule 3.3
byte x;
active proctype A() { x = 1 }
ltl p { [] (x < 2) }
