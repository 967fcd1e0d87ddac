// A variable that is not used at all.
//! rule 3.3
//! warning 4
byte unused;
byte x;
active proctype A() { x = x + 1 }
