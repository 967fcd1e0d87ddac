// The notation tag(a, b) is the same as tag, a, b.
//! rule 1.3
//! plain 7/0/7/0/6 ok
mtype = { m };
chan q = [1] of { mtype, byte, byte };
byte a, b;
active proctype A() { q!m(1, 2); q?m,a,b; q!m,3,4; q?m(a, b); assert(a == 3 && b == 4) }
