// A model without a process.
//! rule 10 row 27
//! error 1
byte x;
proctype P() { x = 1 }
