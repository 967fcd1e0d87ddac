// A for loop over negative numbers.
//! rule f
//! plain 17/0/17/0/16 ok
short i;
int s;
active proctype A() { for (i : -2 .. 1) { s = s + i }; assert(s == -2 && i == 2) }
