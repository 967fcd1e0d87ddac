// After a failed assertion the search goes on behind it.
//! rule 1.3
//! plain 6/0/6/0/5 errors
//! verdict assertions violated
//! verdict deadlock holds
byte x;
active proctype A() { assert(x == 1); x = 1; assert(x == 1); x = 2 }
