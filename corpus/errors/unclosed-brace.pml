// A body that is not closed.
//! rule 10 row 11
//! error 4
byte x; active proctype A() { x = 1
