// A goto that is the first statement of a body.
//! rule b
//! plain 3/0/3/0/2 ok
byte x;
active proctype A() { goto L; x = 2; L: x = 3 }
