// A timeout step is taken before the system counts as deadlocked.
//! rule 2.6
//! plain 5/0/5/0/4 errors
//! verdict assertions holds
//! verdict deadlock violated
byte x;
active proctype A() { timeout -> x = 1 }
active proctype B() { x = 2; x = 3; false }
