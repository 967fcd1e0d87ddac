// The index of a received field sees the fields received to its left.
//! rule 1.3
//! plain 5/0/5/0/4 ok
chan q = [1] of { byte, byte };
byte a[3], i;
active proctype A() { q!2,7; q?i,a[i]; assert(a[2] == 7 && a[0] == 0) }
