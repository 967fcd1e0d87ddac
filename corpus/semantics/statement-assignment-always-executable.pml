// An assignment of 0 is executable all the same.
//! rule 1.3
//! plain 6/0/6/0/5 ok
byte x = 3;
active proctype A() { x = 0; x++; x--; x = x - 0 }
