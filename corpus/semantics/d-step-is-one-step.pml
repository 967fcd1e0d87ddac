// A d_step is one step, whatever is in it.
//! rule 2.4
//! plain 10/4/14/0/5 ok
byte x, y;
active proctype A() { d_step { x = 1; y = 1; x = 2; y = 2 }; x = 3 }
active proctype B() { assert(x == y || x == 3) }
