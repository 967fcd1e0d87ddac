// The value of run in a sum.
//! rule 1.3
//! plain 8/2/10/0/5 ok
byte x;
proctype P() { x++ }
init { byte n; n = 1 + run P(); assert(n == 2) }
