// Nested selections join without a step.
//! rule d
//! plain 6/0/6/0/5 ok
byte x;
active proctype A() { if :: x == 0 -> if :: x == 0 -> x = 1 :: else -> x = 2 fi :: else -> x = 3 fi; x = 4 }
