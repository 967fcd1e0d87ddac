// A brace that closes nothing.
//! rule 10 row 11
//! error 5
byte x;
active proctype A() { x = 1 } }
