// An assertion in a d_step is checked.
//! rule 2.4
//! plain 4/0/4/0/3 errors
//! verdict assertions violated
//! verdict deadlock holds
byte x;
active proctype A() { d_step { x = 1; assert(x == 0); x = 2 }; x = 3 }
