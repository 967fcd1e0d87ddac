// A special label on a goto makes a skip of it.
//! rule b
//! plain 5/0/5/0/4 ok
byte x;
active proctype A() { x = 1; end: goto L; x = 2; L: x = 3 }
