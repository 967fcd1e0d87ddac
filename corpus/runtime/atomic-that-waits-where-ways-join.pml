// S1: an atomic sequence that is interrupted where three ways join: each value is seen.
//! verdict assertions violated
//! verdict deadlock holds
byte y, go;
active proctype A() { atomic { if :: y = 1 :: y = 2 :: y = 3 fi; go == 1; y = 0 } }
active proctype B() { assert(y != 3); go = 1 }
