// Two atomics that wait for each other.
//! rule 2.2
//! plain 6/0/6/6/5 errors
//! verdict assertions holds
//! verdict deadlock violated
byte x, y;
active proctype A() { atomic { x = 1; y == 1; x = 2 } }
active proctype B() { atomic { y = 1; x == 1; y = 2 } }
