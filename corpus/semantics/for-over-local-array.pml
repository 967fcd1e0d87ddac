// A for loop over a local array, writing to it.
//! rule f
//! plain 11/0/11/0/10 ok
active proctype A() { byte a[2]; byte i; for (i in a) { a[i] = i + 1 }; assert(a[0] == 1 && a[1] == 2 && i == 2) }
