// A finished process waits behind a younger one that is stuck; the assertion is never reached.
//! rule 2.1
//! plain 10/2/12/0/5 errors
//! verdict assertions holds
//! verdict deadlock violated
proctype P(byte k) { if :: k == 0 :: else -> false fi }
init { run P(0); run P(1); (_nr_pr == 1) -> assert(false) }
