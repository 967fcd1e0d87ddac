// A goto to a label on a d_step.
//! rule c2
//! differs Spin calls this a jump into the d_step; the tuple is that of the model with x = x + 2 for the d_step
//! plain 7/0/7/0/6 ok
byte x;
active proctype A() { L: d_step { x++; x++ }; if :: x < 4 -> goto L :: else fi; assert(x == 4) }
