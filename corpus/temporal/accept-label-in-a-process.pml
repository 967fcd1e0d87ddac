// A cycle through an accept label of a process.
//! verdict acceptance violated
byte x;
active proctype A() { do :: x = 1; accept: x = 0 od }
