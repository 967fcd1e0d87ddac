// Variables of all types start as 0.
//! rule 1.2
//! plain 3/0/3/0/2 ok
bit b; byte y; short s; int i; unsigned u : 5; pid p; mtype m; chan c; byte a[2];
active proctype A() { byte l; assert(!b && !y && !s && !i && !u && !p && m == 0 && !a[0] && !a[1] && !l) }
