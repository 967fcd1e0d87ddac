// A character constant that does not end.
//! rule 1.1
//! error 5
byte x;
active proctype A() { x = 'a }
