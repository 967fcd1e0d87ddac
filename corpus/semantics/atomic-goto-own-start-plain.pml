// A goto from the end of an atomic to the label on it ends atomicity each time.
//! rule 2.2
//! plain 13/6/19/21/13 errors
//! verdict assertions violated
//! verdict deadlock holds
byte x;
active proctype A() { L: atomic { x++; if :: x < 3 -> goto L :: else fi; x = 9 } }
active proctype B() { assert(x != 1) }
