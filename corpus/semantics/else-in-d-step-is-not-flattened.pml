// An else in a d_step that is first in an option belongs to the d_step alone.
//! rule c
//! plain 8/0/8/0/4 errors
//! verdict assertions violated
//! verdict deadlock holds
byte x;
active proctype A() { if :: x == 0 -> x = 4 :: d_step { if :: x == 1 -> x = 2 :: else -> x = 3 fi } fi; assert(x == 4) }
