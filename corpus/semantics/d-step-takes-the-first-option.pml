// Nondeterminism in a d_step is resolved by the first executable option.
//! rule 2.4
//! plain 4/0/4/0/3 ok
byte x;
active proctype A() { d_step { x = 0; if :: x = 1 :: x = 2 :: x = 3 fi }; assert(x == 1) }
