// An element of a bit array keeps one bit.
//! rule 1.2
//! differs the verifier of Spin keeps a whole byte; the tuple is that of the model with scalars
//! plain 6/0/6/0/5 ok
bit a[2];
active proctype A() { a[0] = 2; assert(a[0] == 0); a[1] = 3; assert(a[1] == 1) }
