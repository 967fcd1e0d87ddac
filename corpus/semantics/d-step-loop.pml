// A loop in a d_step runs to its end in one step.
//! rule 2.4
//! plain 4/0/4/0/3 ok
byte x, s;
active proctype A() { d_step { do :: x < 5 -> x++; s = s + x :: else -> break od }; assert(s == 15) }
