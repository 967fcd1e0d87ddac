// A d_step is executable when its first statement is.
//! rule 2.4
//! plain 8/2/10/0/5 ok
byte x;
active proctype A() { d_step { x == 1 -> x = 2; x = 3 } }
active proctype B() { x = 1; assert(x == 1 || x == 3) }
