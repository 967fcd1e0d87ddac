// An unsigned variable of 32 bits.
//! rule 1.2
//! error 4
unsigned x : 32;
active proctype A() { x = 1 }
