// After a for loop the variable is one more than the upper bound.
//! rule f
//! plain 11/0/11/0/10 ok
byte i;
active proctype A() { for (i : 1 .. 2) { skip }; assert(i == 3) }
