// A variable that is read as an index, as an eval or as an argument is read.
//! rule 3.3
chan q = [2] of { byte };
byte a[2], i = 1, k = 2, m = 3;
proctype P(byte n) { assert(n == 3) }
active proctype A() { q!2; q?eval(k); assert(a[i] == 0); run P(m) }
