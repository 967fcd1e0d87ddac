// A reserved word as a parameter.
//! rule 10 row 14
//! error 4
proctype P(byte timeout) { skip }
init { run P(1) }
