// A select with a negative lower bound.
//! rule g
//! plain 11/2/13/0/6 ok
short x;
active proctype A() { select (x : -1 .. 1); x = 0 }
