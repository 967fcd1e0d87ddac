// A formula with a variable that is not declared.
//! rule 4
//! error 6
byte x;
active proctype A() { x = 1 }
ltl p { [] (y == 0) }
