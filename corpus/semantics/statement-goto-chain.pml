// A goto to a goto, after a statement.
//! rule b
//! plain 4/0/4/0/3 ok
byte x;
active proctype A() { x = 1; goto L; x = 2; L: goto M; x = 4; M: x = 3 }
