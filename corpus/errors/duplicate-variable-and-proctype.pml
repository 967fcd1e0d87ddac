// A variable with the name of a proctype.
//! rule 10 row 8
//! error 5
proctype P() { skip }
byte P;
init { run P() }
