// A timeout as the guard of an escape.
//! rule 2.6
//! plain 9/1/10/0/7 ok
chan q = [1] of { byte };
byte x, v;
active proctype A() { { q?v; q?v } unless { timeout -> x = 1 }; assert(x == 1) }
active proctype B() { q!3 }
