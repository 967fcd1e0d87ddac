// A goto after a statement costs nothing.
//! rule b
//! plain 4/0/4/0/3 ok
byte x;
active proctype A() { x = 1; goto L; x = 2; L: x = 3 }
