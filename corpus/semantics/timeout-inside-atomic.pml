// A timeout works as a guard and in the middle of an atomic.
//! rule 2.6
//! plain 7/0/7/3/8 ok
byte x;
active proctype A() { atomic { timeout -> x = 1; timeout; x = 2 } }
active proctype B() { (x == 1) -> x = 3 }
