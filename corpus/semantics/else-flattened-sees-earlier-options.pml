// An else of a selection that is first in an option is not taken when a guard before it holds.
//! rule c
//! plain 5/0/5/0/4 ok
byte x;
active proctype A() { if :: x == 0 -> x = 4 :: if :: x == 1 -> x = 2 :: else -> x = 3 fi fi; assert(x == 4) }
