// An `else` of a claim that is taken for ever at the end.
//! verdict assertions holds
//! verdict deadlock holds
//! verdict n violated
//! verdict m holds
byte x;
active proctype A() { x = 1 }
never n { do :: x == 0 :: else -> break od; do :: x == 0 -> goto S :: else -> goto accept od; S: false; accept: do :: x == 1 od }
never m { do :: x == 0 :: else -> break od; do :: x == 1 :: else -> break od }
