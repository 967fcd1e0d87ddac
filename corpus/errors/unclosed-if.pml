// A selection that is not closed.
//! rule 10 row 11
//! error 5
byte x;
active proctype A() { if :: x = 1 }
