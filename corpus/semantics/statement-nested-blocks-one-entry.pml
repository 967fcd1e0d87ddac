// Blocks in blocks have only one entry state of their own.
//! rule c2
//! plain 11/2/13/0/9 ok
byte x;
active proctype A() { x = 1; { { { do :: x < 3 -> x++ :: x > 1 -> x = 0 od } } } }
