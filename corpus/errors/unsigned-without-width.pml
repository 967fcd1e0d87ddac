// An unsigned variable without a width.
//! rule 1.2
//! error 4
unsigned x;
active proctype A() { x = 1 }
