// A for loop in a for loop.
//! rule f
//! plain 25/0/25/0/24 ok
byte i, j, s;
active proctype A() { for (i : 1 .. 2) { for (j : 1 .. 2) { s = s + i * j } }; assert(s == 9) }
