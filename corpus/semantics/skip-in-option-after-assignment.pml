// Skips after an assignment in an option.
//! rule e
//! plain 5/0/5/0/4 ok
byte x;
active proctype A() { if :: x = 1; skip; skip; skip; x = 2 fi }
