// Two processes that interrupt each other.
//! rule 2.7
//! plain 26/7/33/0/6 ok
byte x, y;
active proctype A() { { x = 1; x = 2 } unless { y == 1 -> x = 9 } }
active proctype B() { { y = 1; y = 2 } unless { x == 1 -> y = 9 } }
