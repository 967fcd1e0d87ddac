// An index may be any expression, also an element of another array.
//! rule 1.2
//! plain 6/0/6/0/5 ok
byte a[3] = { 2, 0, 1 };
byte b[3] = { 1, 2, 0 };
active proctype A() { a[b[b[0] - 1]]++; assert(a[1] == 1); b[a[0]] = a[b[1]] + 7; assert(b[2] == 8) }
