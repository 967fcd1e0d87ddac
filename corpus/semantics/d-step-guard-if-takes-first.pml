// Of two executable guards at the start of a d_step the first is taken.
//! rule 2.4
//! plain 4/0/4/0/3 ok
byte x;
active proctype A() { d_step { if :: x == 0 -> x = 6 :: x < 2 -> x = 2 fi; x++ }; assert(x == 7) }
