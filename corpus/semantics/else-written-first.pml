// An else that is written first is tried last.
//! rule 1.3
//! plain 5/0/5/0/4 ok
byte x;
active proctype A() { if :: else -> x = 1 :: x == 0 -> x = 2 fi; assert(x == 2) }
