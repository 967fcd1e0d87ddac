// A run as a statement or guard is executable.
//! rule 1.3
//! plain 13/2/15/0/5 ok
byte x;
proctype P(byte n) { x = n }
init { if :: run P(3) -> x == 3 :: run P(4) -> x == 4 fi }
