// The body of a for loop may change its variable.
//! rule f
//! plain 17/0/17/0/16 ok
byte i, r;
active proctype A() { for (i : 0 .. 5) { i++; r++ }; assert(r == 3) }
