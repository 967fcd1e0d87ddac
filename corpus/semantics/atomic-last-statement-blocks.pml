// An atomic whose last statement blocks.
//! rule 2.2
//! plain 15/5/20/4/7 errors
//! verdict assertions holds
//! verdict deadlock violated
byte x, y;
active proctype A() { atomic { x = 1; y == 1 }; x = 2 }
active proctype B() { y = 1; y = 2 }
