// Two parameters of one name.
//! rule 10 row 7
//! error 4
proctype P(byte a; byte a) { skip }
init { run P(1, 2) }
