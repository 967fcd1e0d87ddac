// Each instance has its own locals, with their own initial values.
//! rule 1.2
//! plain 17/6/23/1/11 ok
byte n;
proctype P(byte k) { byte a = k + 1; a++; n = n + a }
init { atomic { run P(1); run P(5) }; (_nr_pr == 1) -> assert(n == 10) }
