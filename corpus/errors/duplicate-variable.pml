// A global declared twice.
//! rule 10 row 7
//! error 5
byte x;
short x;
active proctype A() { x = 1 }
