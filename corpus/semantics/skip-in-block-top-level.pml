// Skips in a block at the top level.
//! rule e
//! plain 6/0/6/0/5 ok
active proctype A() { { skip; skip; skip; skip } }
