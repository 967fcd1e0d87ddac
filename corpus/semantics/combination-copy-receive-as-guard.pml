// Copy receives and polls as guards of a loop.
//! rule 1.3
//! plain 40/20/60/0/11 ok
chan q = [2] of { byte };
byte v, n;
active proctype A() { do :: q?<1> -> n++; q?1 :: q?<v> -> q?_; if :: v == 2 -> break :: else fi od; assert(n <= 1) }
active proctype B() { q!1; q!2 }
