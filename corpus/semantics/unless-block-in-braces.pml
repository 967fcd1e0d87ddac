// A block around an unless around a loop.
//! rule c2
//! plain 11/2/13/0/9 ok
byte x, e;
active proctype A() { x = 1; { { do :: x < 3 -> x++ :: x > 1 -> x = 0 od } unless { e == 1 } } }
