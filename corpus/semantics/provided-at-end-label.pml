// A process stopped by its provided clause at an end label is in a valid end state.
//! rule 2.8
//! plain 3/0/3/0/2 ok
byte x;
active proctype A() provided (x < 2) { x = 1; x = 2; end: x = 3 }
