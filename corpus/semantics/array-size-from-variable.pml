// An array size that is an initialised variable counts with its initial value.
//! rule 1.2
//! plain 4/0/4/0/3 ok
byte n = 2;
byte a[n];
active proctype A() { a[1] = 3; assert(a[1] == 3) }
