// A selection without an option.
//! rule 10 row 11
//! error 4
active proctype A() { if fi }
