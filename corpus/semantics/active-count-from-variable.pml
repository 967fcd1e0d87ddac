// A count that is an initialised variable counts with its initial value.
//! rule 1.2
//! plain 7/2/9/0/4 ok
byte n = 2, x;
active [n] proctype A() { x++ }
