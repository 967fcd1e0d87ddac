// An inline that jumps to a label of its caller.
//! rule 1.1
//! plain 11/0/11/0/10 ok
byte x;
inline leave() { x++; goto out }
active proctype A() { do :: x < 3 -> x++ :: x == 3 -> leave() od; out: assert(x == 4) }
