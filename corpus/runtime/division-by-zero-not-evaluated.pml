// A division by zero on the right of || is not evaluated.
//! rule 2.16
//! plain 5/0/5/0/4 ok
byte x = 4, y;
active proctype A() { (y == 0 || x / y == 2); x = (y != 0 -> x / y : 1); assert(x == 1) }
