// A timeout as the guard of a d_step.
//! rule 2.6
//! plain 6/0/6/0/5 ok
byte x;
active proctype A() { d_step { timeout -> x = x + 10; x++ } }
active proctype B() { x = 1; x = 2 }
