// An assertion in the main part is not reached when the escape holds.
//! rule 2.7
//! plain 5/0/5/0/4 ok
byte x;
active proctype A() { { x = 1; assert(x == 0) } unless { x == 1 -> x = 2 } }
