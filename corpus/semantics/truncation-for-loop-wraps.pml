// A for loop over a narrow variable whose bound it cannot pass never ends.
//! rule f
//! plain 13/1/14/0/12 ok
unsigned i : 2;
active proctype A() { for (i : 0 .. 3) { skip } }
