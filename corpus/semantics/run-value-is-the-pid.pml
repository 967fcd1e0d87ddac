// The value of run is the number of the new process.
//! rule 1.3
//! plain 8/2/10/0/5 errors
//! verdict assertions holds
//! verdict deadlock violated
pid a, b;
proctype P() { (_pid == 2) }
init { a = run P(); b = run P(); assert(a == 1 && b == 2) }
