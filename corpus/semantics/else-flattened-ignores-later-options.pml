// An else of a selection that is first in an option looks only at the guards before it, so it is taken although x == 0 holds.
//! rule c
//! plain 9/0/9/0/4 errors
//! verdict assertions violated
//! verdict deadlock holds
byte x;
active proctype A() { if :: if :: x == 1 -> x = 2 :: else -> x = 3 fi :: x == 0 -> x = 4 fi; assert(x == 4) }
