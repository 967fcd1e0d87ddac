// A for loop over a range that turns out to be empty only sets its variable.
//! rule f
//! plain 5/0/5/0/4 ok
byte i = 9, s, lo = 3;
active proctype A() { for (i : lo .. 1) { s++ }; assert(i == 3 && s == 0) }
