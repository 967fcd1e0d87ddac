// A goto within a d_step.
//! rule 2.4
//! plain 4/0/4/0/3 ok
byte x;
active proctype A() { d_step { x = 0; L: x++; if :: x < 3 -> goto L :: else fi; x = x + 10 }; assert(x == 13) }
