// A declaration in a d_step.
//! rule 2.4
//! plain 4/0/4/0/3 ok
byte x;
active proctype A() { d_step { byte t = 4; t++; x = t }; assert(x == 5) }
