// Elements of byte and short arrays are truncated.
//! rule 1.2
//! plain 6/0/6/0/5 ok
byte a[2];
short s[2];
active proctype A() { a[1] = 511; assert(a[1] == 255 && a[0] == 0); s[0] = 32768; assert(s[0] == -32768) }
