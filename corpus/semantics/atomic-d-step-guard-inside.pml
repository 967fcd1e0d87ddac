// A d_step with a guard in the middle of an atomic blocks it.
//! rule 2.4
//! plain 12/5/17/10/7 ok
byte x, y;
active proctype A() { atomic { x = 1; d_step { y == 1 -> x = 2; x = 3 }; x = 4 } }
active proctype B() { y = 1; assert(x == 0 || x == 1 || x == 4) }
