// A printm is a step with no effect.
//! rule a
//! plain 4/0/4/0/3 ok
mtype = { red };
mtype m = red;
active proctype A() { printm(m); printm(red) }
