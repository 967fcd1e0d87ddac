// A condition with timeout that is false even then is a deadlock.
//! rule 2.6
//! plain 4/0/4/0/3 errors
//! verdict assertions holds
//! verdict deadlock violated
byte x;
active proctype A() { timeout && x == 1 -> x = 3 }
active proctype B() { x = 1; x = 2 }
