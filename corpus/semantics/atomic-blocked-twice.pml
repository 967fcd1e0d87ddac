// An atomic that blocks twice is resumed twice.
//! rule 2.2
//! plain 13/2/15/9/13 ok
byte x;
active proctype A() { atomic { x = 1; x == 2; x = 3; x == 4; x = 5; x = 6 } }
active proctype B() { x == 1 -> x = 2; x == 3 -> x = 4; assert(x == 4 || x == 6) }
