// A goto may enter a block; it lands on the statement with the label.
//! rule c2
//! plain 6/0/6/0/5 ok
byte x;
active proctype A() { x = 1; goto L; { x = 2; L: x = 3; x = 4 }; x = 5 }
