// A process that rests at an accept label for ever. pan: accept stutter.
//! verdict assertions holds
//! verdict deadlock violated
//! verdict acceptance violated
byte x;
active proctype A() { x = 1; accept: x == 3 }
