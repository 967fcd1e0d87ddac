// A parameter with an initial value.
//! rule 1.2
//! error 4
proctype P(byte a = 3) { skip }
init { run P(1) }
