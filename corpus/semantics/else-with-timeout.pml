// An else beside timeout.
//! rule 2.5
//! plain 5/0/5/0/4 ok
byte x;
active proctype A() { if :: timeout -> x = 1 :: else -> x = 2 fi; assert(x == 2) }
