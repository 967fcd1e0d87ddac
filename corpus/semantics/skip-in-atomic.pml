// Skips in an atomic.
//! rule e
//! plain 3/0/3/3/5 ok
active proctype A() { atomic { skip; skip; skip; skip } }
