// A provided clause with a variable that is not declared.
//! rule 2.8
//! error 5
byte x;
active proctype A() provided (ready) { x = 1 }
