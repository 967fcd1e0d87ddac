// The value of run in a sum.
//! rule 1.3
//! differs a run is a statement or the right-hand side of an assignment, nothing else
//! error 7
byte x;
proctype P() { x++ }
init { byte n; n = 1 + run P(); assert(n == 2) }
