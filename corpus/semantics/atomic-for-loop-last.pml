// A for loop at the end of an atomic.
//! rule d
//! plain 4/0/4/10/13 ok
byte i, s;
active proctype A() { atomic { s = 1; for (i : 1 .. 2) { s = s + i } }; s = 0 }
