// A declaration in the body of a for loop is a step in each round.
//! rule f
//! plain 15/0/15/0/14 ok
byte i, s;
active proctype A() { for (i : 1 .. 2) { byte k; k = k + i; s = s + k }; assert(s == 3) }
