// A d_step in an atomic is one step of the chain.
//! rule 2.4
//! plain 10/4/14/6/7 ok
byte x;
active proctype A() { atomic { x = 1; d_step { x = 2; x = 3 }; x = 4 }; x = 5 }
active proctype B() { assert(x == 0 || x >= 4) }
