// A nested atomic at the end of an atomic.
//! rule 2.2
//! plain 10/4/14/6/7 ok
byte x;
active proctype A() { atomic { x = 1; atomic { x = 2; x = 3 } }; x = 5 }
active proctype B() { assert(x == 0 || x >= 3) }
