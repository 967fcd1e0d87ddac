// A received value is truncated again to the type of the variable.
//! rule 2.14
//! plain 5/0/5/0/4 ok
chan q = [2] of { int, int };
byte a;
bit b;
active proctype A() { q!300,6; q?a,b; assert(a == 44 && b == 0) }
