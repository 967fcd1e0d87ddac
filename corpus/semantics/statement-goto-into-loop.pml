// A goto may enter a loop body.
//! rule c2
//! plain 7/0/7/0/6 ok
byte x;
active proctype A() { x = 1; goto L; do :: x < 3 -> L: x++ :: else -> break od }
