// A selection at the end of an atomic, one option jumps out.
//! rule d
//! plain 6/1/7/3/6 ok
byte x;
active proctype A() { atomic { x = 1; if :: x = 2 :: x = 3; goto L fi }; x = 5; L: x = 6 }
