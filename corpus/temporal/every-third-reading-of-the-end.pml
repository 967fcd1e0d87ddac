// A claim that goes round while it reads the end of a run again and again.
//! verdict assertions holds
//! verdict deadlock holds
//! verdict n violated
//! verdict m holds
byte x;
active proctype A() { x = 1; x = 3 }
never n { do :: x != 3 :: x == 3 -> x == 3; accept: x == 3 od }
never m { do :: x != 3 :: x == 3 -> x == 3; accept: x == 1 od }
