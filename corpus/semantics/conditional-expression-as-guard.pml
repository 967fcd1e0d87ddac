// A conditional expression as a guard.
//! rule 1.4
//! plain 9/2/11/0/6 ok
byte x, y;
active proctype A() { (x == 0 -> y == 1 : y == 2); x = 5 }
active proctype B() { y = 2; y = 1 }
