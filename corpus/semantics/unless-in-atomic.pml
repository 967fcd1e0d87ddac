// An unless inside an atomic.
//! rule 2.7
//! plain 10/4/14/15/10 ok
byte x, e;
active proctype A() { atomic { { x = 1; x = 2; x = 3 } unless { x == 2 -> x = 9 }; x++ }; assert(x == 10) }
active proctype B() { assert(x == 0 || x == 10) }
