// The escape of an unless fires in the middle of an atomic that jumps back to its label.
//! rule 2.2
//! plain 10/4/14/15/10 errors
//! verdict assertions violated
//! verdict deadlock holds
byte x;
active proctype A() { L: atomic { x < 3 -> x++; x++; goto L } unless { x >= 3 } }
active proctype B() { assert(x % 2 == 0) }
