// An assertion needs no parentheses.
//! rule 1.3
//! plain 5/0/5/0/4 errors
//! verdict assertions violated
//! verdict deadlock holds
byte x;
active proctype A() { assert x == 0; x = 1; assert x == 0 }
