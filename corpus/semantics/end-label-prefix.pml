// Any label that begins with end will do.
//! rule 2.11
//! plain 2/0/2/0/1 ok
byte x;
active proctype A() { x = 1; endless_wait: x == 7 }
