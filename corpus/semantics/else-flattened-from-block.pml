// An else of a selection in a block that is first in an option.
//! rule c
//! plain 9/0/9/0/4 errors
//! verdict assertions violated
//! verdict deadlock holds
byte x;
active proctype A() { if :: { if :: else -> x = 3 :: x == 1 -> x = 2 fi } :: x == 0 -> x = 4 fi; assert(x == 4) }
