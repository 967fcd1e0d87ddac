// A process starts another of its own kind.
//! rule 1.3
//! plain 27/16/43/0/13 ok
byte x;
proctype P(byte n) { if :: n > 0 -> run P(n - 1) :: else fi; x = x + n }
init { run P(2) }
