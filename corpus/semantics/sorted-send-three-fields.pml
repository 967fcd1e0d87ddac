// A sorted send decides by the first field that differs.
//! rule 2.13
//! plain 11/0/11/0/10 ok
chan q = [3] of { byte, byte, byte };
byte a, b, c;
active proctype A() { q!!1,1,2; q!!1,1,1; q!!1,0,9; q?a,b,c; assert(b == 0); q?a,b,c; assert(c == 1); q?a,b,c; assert(c == 2) }
