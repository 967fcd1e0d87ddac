// A d_step at the end of an atomic.
//! rule 2.4
//! plain 10/4/14/3/6 ok
byte x;
active proctype A() { atomic { x = 1; d_step { x = 2; x = 3 } }; x = 5 }
active proctype B() { assert(x == 0 || x >= 3) }
