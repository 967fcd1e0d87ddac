// In an atomic only the branch that blocks is stored.
//! rule 2.2
//! plain 10/6/16/24/8 ok
byte x, y;
active proctype A() { atomic { if :: x = 1; y == 1; x = 2 :: x = 3; x = 4 fi; x = 5 } }
active proctype B() { y = 1 }
