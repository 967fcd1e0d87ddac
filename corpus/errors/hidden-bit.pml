// A hidden bit.
//! rule 1.2
//! error 4
hidden bit b;
active proctype A() { b = 1 }
