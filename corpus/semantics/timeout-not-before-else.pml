// An else is tried before timeout in another process.
//! rule 2.6
//! plain 8/0/8/0/7 ok
byte x;
active proctype A() { if :: x == 7 :: else -> x = 1 fi; assert(x == 1) }
active proctype B() { timeout -> x = 2 }
