// Skips between a skip and an assignment in an option.
//! rule e
//! plain 4/0/4/0/3 ok
byte x;
active proctype A() { if :: skip; skip; skip; x = 1 fi }
