// A timeout after an else in an atomic.
//! rule 2.6
//! plain 17/2/19/10/9 ok
byte x, y;
active proctype A() { atomic { if :: y == 1 -> x = 1 :: else -> x = 2 fi; timeout -> x = x + 4 }; assert(x >= 5) }
active proctype B() { y = 1; y = 2 }
