// A model that mentions _last has the pid of the last mover in its state.
//! rule 2.21
//! plain 19/8/27/0/6 ok
byte x;
active proctype A() { x++; x++ }
active proctype B() { x++; assert(_last == 0 || _last == 1) }
