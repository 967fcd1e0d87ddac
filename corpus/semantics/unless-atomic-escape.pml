// An atomic escape runs without interruption.
//! rule 2.7
//! plain 17/5/22/12/7 ok
byte x, e;
active proctype A() { { x = 1; x = 2 } unless { atomic { e == 1 -> x = 8; x = 9 } } }
active proctype B() { e = 1; assert(x != 8) }
