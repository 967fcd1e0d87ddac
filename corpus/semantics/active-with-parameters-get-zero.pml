// Parameters of an active process are 0.
//! rule 1.2
//! plain 3/0/3/0/2 ok
active proctype P(byte a; short b) { assert(a == 0 && b == 0) }
