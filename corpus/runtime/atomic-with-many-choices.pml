// S1: one of 4,096 ways through an atomic sequence fails an assertion.
//! verdict assertions violated
//! verdict deadlock holds
byte i; short w;
active proctype A() { atomic { do :: i < 12 -> i++; if :: w = w * 2 :: w = w * 2 + 1 fi :: else -> break od }; assert(w != 4095) }
