// A loop in an atomic that blocks in the loop state, after the entry and after a round.
//! rule c2
//! plain 10/2/12/10/11 ok
byte x, y;
active proctype A() { atomic { do :: x == 0 -> x = 1 :: x == 2 -> x = 3; break od; x = 7 } }
active proctype B() { y = 1; x == 1 -> x = 2 }
