// Skips after a printf in an option are pruned but for the last.
//! rule e
//! plain 4/0/4/0/3 ok
active proctype A() { if :: printf("a"); skip; skip; skip; skip fi }
