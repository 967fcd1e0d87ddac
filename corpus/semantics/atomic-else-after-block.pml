// An else in an atomic after a blocked statement.
//! rule 2.2
//! plain 11/1/12/12/9 ok
byte x, y;
active proctype A() { atomic { y == 1; if :: x == 1 -> x = 5 :: else -> x = 6 fi; x++ } }
active proctype B() { y = 1; x = 1 }
