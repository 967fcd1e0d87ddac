// A short initialiser list repeats its last value.
//! rule 1.2
//! plain 3/0/3/0/2 ok
byte a[4] = { 1, 2, 3 };
active proctype A() { assert(a[0] == 1 && a[1] == 2 && a[2] == 3 && a[3] == 3) }
