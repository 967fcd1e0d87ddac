// Two d_steps in a row are two steps.
//! rule 2.4
//! plain 10/4/14/0/5 ok
byte x;
active proctype A() { d_step { x = 1; x = 2 }; d_step { x = 3; x = 4 } }
active proctype B() { assert(x != 1 && x != 3) }
