// An else of a selection in an atomic that is first in an option, after a guard that holds.
//! rule c
//! plain 5/0/5/0/4 ok
byte x;
active proctype A() { if :: x == 0 -> x = 4 :: atomic { if :: x == 1 -> x = 2 :: else -> x = 3 fi } fi; assert(x == 4) }
