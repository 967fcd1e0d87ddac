// Skips in a d_step.
//! rule e
//! plain 3/0/3/0/2 ok
byte x;
active proctype A() { d_step { skip; skip; skip; x = 1; skip } }
