// Comparisons and logical operators yield 0 or 1.
//! rule 1.4
//! plain 6/0/6/0/5 ok
byte x = 7;
active proctype A() { assert((x > 3) + (x > 4) == 2); assert((x && 4) == 1); assert((x || 0) == 1); assert(!x == 0 && !(!x) == 1) }
