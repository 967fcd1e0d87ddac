// A loop by goto to a label on an atomic.
//! rule c2
//! plain 6/0/6/2/7 ok
byte x;
active proctype A() { L: atomic { x++; x++ }; if :: x < 4 -> goto L :: else fi }
