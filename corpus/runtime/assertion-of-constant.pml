// An assertion that can never hold.
//! rule 1.3
//! plain 3/0/3/0/2 errors
//! verdict assertions violated
//! verdict deadlock holds
active proctype A() { assert(false) }
