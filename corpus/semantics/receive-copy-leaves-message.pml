// A copy receive leaves the message and assigns the variables.
//! rule 1.3
//! plain 10/0/10/0/9 ok
chan q = [2] of { byte, byte };
byte a, b;
active proctype A() { q!1,2; q!3,4; q?<a,b>; assert(a == 1 && b == 2 && len(q) == 2); q??<3,b>; assert(b == 4 && len(q) == 2); q?1,b; assert(b == 2) }
