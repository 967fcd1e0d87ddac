// An atomic sequence that is interrupted only after one of its choices.
//! verdict assertions violated
//! verdict deadlock holds
byte y, go;
active proctype A() { atomic { if :: y = 1 :: y = 2 fi; if :: y == 2 -> skip :: y == 1 -> go == 1 fi; y = 0 } }
active proctype B() { assert(y != 1); go = 1 }
