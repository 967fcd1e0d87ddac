// An else of an inner selection that is not first in its option.
//! rule c
//! plain 6/0/6/0/5 ok
byte x;
active proctype A() { if :: x == 0 -> if :: x == 1 -> x = 5 :: else -> x = 6 fi :: else -> x = 7 fi; assert(x == 6) }
