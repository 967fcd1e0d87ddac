// A name twice in one declaration.
//! rule 10 row 7
//! error 4
byte x, y, x;
active proctype A() { x = 1 }
