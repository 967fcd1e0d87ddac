// In an atomic else is judged at the moment.
//! rule 2.5
//! plain 10/1/11/9/7 ok
byte x, y;
active proctype A() { atomic { x = 1; if :: y == 1 -> x = 2 :: else -> x = 3 fi } }
active proctype B() { y = 1 }
