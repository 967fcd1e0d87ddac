// A label on a block names the state of the block, not of its first statement.
//! rule c2
//! plain 8/0/8/0/7 ok
byte x;
active proctype A() { L: { x++; x++ }; if :: x < 4 -> goto L :: else fi }
