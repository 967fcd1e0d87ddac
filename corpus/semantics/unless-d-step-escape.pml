// A d_step as escape.
//! rule 2.7
//! plain 17/5/22/0/6 ok
byte x, e;
active proctype A() { { x = 1; x = 2 } unless { d_step { e == 1 -> x = 8; x = 9 } } }
active proctype B() { e = 1; assert(x != 8) }
