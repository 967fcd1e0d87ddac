// A sorted send compares with sign.
//! rule 2.13
//! plain 11/0/11/0/10 ok
chan q = [3] of { short };
short v;
active proctype A() { q!!1; q!!-1; q!!0; q?v; assert(v == -1); q?v; assert(v == 0); q?v; assert(v == 1) }
