// A break from a selection in a loop in a d_step.
//! rule 2.4
//! plain 4/0/4/0/3 ok
byte x;
active proctype A() { d_step { do :: x++; if :: x == 3 -> break :: else fi od; x = x * 2 }; assert(x == 6) }
