// An escape applies before a d_step but not inside it.
//! rule 2.7
//! plain 16/4/20/0/6 ok
byte x, e;
active proctype A() { { d_step { x = 1; x = 2; x = 3 } } unless { (e == 1) -> x = 9 } }
active proctype B() { e = 1; assert(x == 0 || x == 3 || x == 9) }
