// A declaration in the prefix is evaluated when the process is created, not when it first moves.
//! rule 1.2
//! plain 5/0/5/2/6 ok
byte g;
proctype P() { byte a = g; assert(a == 1) }
init { atomic { g = 1; run P(); g = 2 } }
