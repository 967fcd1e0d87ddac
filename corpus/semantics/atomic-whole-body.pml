// A body that is one atomic; the end of the process is a step of its own.
//! rule 2.2
//! plain 7/2/9/3/5 ok
byte x;
active proctype A() { atomic { x = 1; x = 2 } }
active proctype B() { assert(x == 0 || x == 2) }
