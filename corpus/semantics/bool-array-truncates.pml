// An element of a bool array in a struct keeps one bit.
//! rule 1.2
//! differs the verifier of Spin keeps a whole byte; the tuple is that of the model with scalars
//! plain 6/0/6/0/5 ok
typedef T { bool b[2] };
T t;
active proctype A() { t.b[1] = 2; assert(!t.b[1]); t.b[1]--; assert(t.b[1] == 1) }
