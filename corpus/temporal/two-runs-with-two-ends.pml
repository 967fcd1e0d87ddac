// Runs that end in different states; each of two claims accepts one of them.
//! verdict assertions holds
//! verdict deadlock holds
//! verdict n violated
//! verdict m violated
//! verdict k holds
byte x, d;
active proctype A() { atomic { x = 1; d++ } }
active proctype B() { atomic { x = 2; d++ } }
never n { do :: d < 2 :: d == 2 && x == 1 -> break od; x == 1; x == 1; x == 1 }
never m { do :: true :: x == 2 -> break od; do :: x == 2 :: x == 1 -> break od; d == 2; d == 2; d == 2 }
never k { do :: true :: d == 2 && x == 2 -> break od; do :: true :: x == 1 -> break od }
