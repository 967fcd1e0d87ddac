// Bit and unsigned fields of a struct are truncated.
//! rule 1.2
//! plain 10/0/10/0/9 ok
typedef T { bit b; unsigned u : 4; byte y };
T t;
active proctype A() { t.b = 2; t.u = 17; t.y = 256; assert(t.b == 0 && t.u == 1 && t.y == 0); t.b = 1; t.u--; t.u--; assert(t.u == 15) }
