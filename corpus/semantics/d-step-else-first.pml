// An else in a d_step after the guard.
//! rule 2.4
//! plain 4/0/4/0/3 ok
byte x;
active proctype A() { d_step { x = 3; if :: x == 1 -> x = 2 :: else -> x = 4 fi }; assert(x == 4) }
