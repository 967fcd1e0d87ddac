// Skips in the body of a for loop.
//! rule e
//! plain 14/0/14/0/13 ok
byte i;
active proctype A() { for (i : 0 .. 1) { skip; skip; skip } }
