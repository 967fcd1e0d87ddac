// A count of 0 starts nothing.
//! rule 1.2
//! plain 3/0/3/0/2 ok
byte x;
active [0] proctype P() { x = 1 }
active proctype Q() { assert(x == 0) }
