// An else beside a d_step that starts with a selection with else of its own.
//! rule c
//! plain 4/0/4/0/3 ok
byte x;
active proctype A() { if :: d_step { if :: x == 1 -> x = 2 :: else -> x = 3 fi } :: x == 5 -> x = 4 :: else -> x = 7 fi; assert(x == 3) }
