// A conditional expression evaluates only the part that is chosen.
//! rule 1.4
//! plain 9/0/9/0/8 ok
byte a[2] = { 3, 4 };
byte i = 5, x;
active proctype A() { x = (i < 2 -> a[i] : 7); assert(x == 7); i = 1; x = (i < 2 -> a[i] : 7); assert(x == 4); x = (x == 4 -> (i == 0 -> 1 : 2) : 3); assert(x == 2) }
