// A process starts another of its own kind and waits for it.
//! rule 1.3
//! plain 21/7/28/0/10 errors
//! verdict assertions holds
//! verdict deadlock violated
byte x;
proctype P(byte n) { if :: n > 0 -> run P(n - 1); (_nr_pr <= n + 1) :: else fi; x = x + n }
init { run P(2) }
