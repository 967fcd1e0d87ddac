// After a goto out of an atomic others may run: the observer sees x == 1.
//! rule 2.2
//! plain 13/6/19/3/7 errors
//! verdict assertions violated
//! verdict deadlock holds
byte x;
active proctype A() { atomic { x = 1; goto L }; x = 8; L: x = 2; x = 3 }
active proctype B() { assert(x != 1) }
