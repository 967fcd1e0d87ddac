// A parameter that is never read.
//! rule 3.3
//! warning 5
byte x;
proctype P(byte n, k) { x = x + k }
init { run P(1, 2) }
