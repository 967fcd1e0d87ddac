// An array size may be a constant expression.
//! rule 1.2
//! plain 4/0/4/0/3 ok
#define N 2
byte a[N * 2 + 1];
active proctype A() { a[N * 2] = 3; assert(a[4] == 3) }
