// An atomic in a d_step changes nothing.
//! rule 2.4
//! plain 7/2/9/0/4 ok
byte x;
active proctype A() { d_step { x = 1; atomic { x = 2; x = 3 }; x = 4 } }
active proctype B() { assert(x == 0 || x == 4) }
