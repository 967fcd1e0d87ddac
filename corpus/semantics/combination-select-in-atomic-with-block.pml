// A select in an atomic where one choice blocks.
//! rule 2.19
//! plain 15/7/22/14/6 errors
//! verdict assertions holds
//! verdict deadlock violated
byte x, y;
active proctype A() { atomic { select (x : 0 .. 2); x == y + 1; x = 5 } }
active proctype B() { y = 1 }
