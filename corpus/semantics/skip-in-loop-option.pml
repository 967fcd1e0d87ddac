// Skips in an option of a loop.
//! rule e
//! plain 14/0/14/0/13 ok
byte x;
active proctype A() { do :: x < 2 -> skip; skip; skip; x++; skip; skip :: else -> skip; skip; skip; break od }
