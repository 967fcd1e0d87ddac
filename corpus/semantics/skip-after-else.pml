// Skips after else.
//! rule e
//! plain 6/0/6/0/5 ok
byte x;
active proctype A() { if :: x == 1 :: else -> skip; skip; skip fi; x = 1 }
