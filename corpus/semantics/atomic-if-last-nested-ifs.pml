// Nested selections at the end of an atomic.
//! rule d
//! plain 5/1/6/6/7 ok
byte x;
active proctype A() { atomic { x = 1; if :: x == 1 -> if :: x = 2 :: x = 3 fi :: else fi }; x = 5 }
