// An assignment in a formula.
//! rule 4
//! error 6
byte x;
active proctype A() { x = 1 }
ltl p { [] (x = 0) }
