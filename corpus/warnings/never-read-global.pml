// A global that is written and never read.
//! rule 3.3
//! warning 4
byte w;
byte x;
active proctype A() { w = 1; x = x + 1; w = x }
