// An inline without parameters, called twice, costs its statements twice.
//! rule 1.1
//! plain 7/0/7/0/6 ok
byte x;
inline bump() { x++; x++ }
active proctype A() { bump(); bump(); assert(x == 4) }
