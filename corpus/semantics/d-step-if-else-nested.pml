// Nested selections with else in a d_step.
//! rule 2.4
//! plain 4/0/4/0/3 ok
byte x;
active proctype A() { d_step { x = 2; if :: x == 1 -> x = 5 :: else -> if :: x == 2 -> x = 6 :: else -> x = 7 fi fi; x++ }; assert(x == 7) }
