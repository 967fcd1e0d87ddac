// An unsigned variable of no bits.
//! rule 1.2
//! error 4
unsigned x : 0;
active proctype A() { x = 1 }
