// A conditional expression as argument of a send.
//! rule 1.4
//! plain 5/0/5/0/4 ok
chan q = [1] of { byte };
byte x = 3;
active proctype A() { q!(x > 2 -> 5 : 6); q?x; assert(x == 5) }
