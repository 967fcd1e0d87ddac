// A break as first option of a loop in a d_step is taken at once.
//! rule 2.4
//! plain 4/0/4/0/3 ok
byte x;
active proctype A() { d_step { x = 1; do :: break :: x < 4 -> x++ od }; assert(x == 1) }
