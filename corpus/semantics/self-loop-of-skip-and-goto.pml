// A skip that is followed by a goto back to it.
//! rule h
//! plain 3/1/4/0/2 ok
byte x;
active proctype A() { x = 1; L: skip; if :: x == 2 :: else -> goto L fi }
