// An else without a statement after it is one step.
//! rule a
//! plain 4/0/4/0/3 ok
byte x;
active proctype A() { if :: x == 1 :: else fi; x = 2 }
