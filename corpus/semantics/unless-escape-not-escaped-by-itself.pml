// An escape that has begun is not interrupted by its own guard.
//! rule 2.7
//! plain 26/10/36/0/8 ok
byte x, e;
active proctype A() { { x = 1; x = 2 } unless { e == 1 -> x = 3; x = 4; x = 5 }; assert(x == 2 || x == 5) }
active proctype B() { e = 1 }
