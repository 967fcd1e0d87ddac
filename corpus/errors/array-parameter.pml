// A parameter that is an array.
//! rule 1.2
//! error 4
proctype P(byte a[2]) { skip }
init { skip }
