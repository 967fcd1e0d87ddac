// In a loop in a d_step the first executable option is taken each time, so the break comes last.
//! rule 2.4
//! plain 4/0/4/0/3 ok
byte x;
active proctype A() { d_step { x = 1; do :: x < 4 -> x++ :: break od }; assert(x == 4) }
