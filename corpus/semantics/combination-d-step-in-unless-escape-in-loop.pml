// A loop of d_steps under an escape that is a d_step.
//! rule 2.7
//! plain 11/3/14/0/6 ok
byte x, e;
active proctype A() { do :: d_step { x < 4 -> x++; x++ } :: d_step { x >= 4 -> x = 0 } od unless { d_step { e == 1 -> x = 9; e = 2 } } }
active proctype B() { e = 1; e == 2 -> assert(x == 9) }
