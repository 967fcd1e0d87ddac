// Beside a receive of a constant, else is taken when the first message does not match.
//! rule 2.5
//! plain 6/0/6/0/5 ok
chan q = [2] of { byte };
byte x;
active proctype A() { q!3; if :: q?4 -> x = 1 :: q?5 -> x = 2 :: else -> x = 3 fi; assert(x == 3 && len(q) == 1) }
