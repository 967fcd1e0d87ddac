// The value of run is the number of the new process.
//! rule 1.3
//! plain 16/10/26/1/8 ok
pid a, b;
proctype P() { skip }
init { atomic { a = run P(); b = run P() }; assert(a == 1 && b == 2) }
