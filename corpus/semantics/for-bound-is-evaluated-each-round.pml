// The upper bound of a for loop is evaluated in each round.
//! rule f
//! plain 11/0/11/0/10 ok
byte i, n = 3;
active proctype A() { for (i : 1 .. n) { n-- }; assert(i == 3 && n == 1) }
