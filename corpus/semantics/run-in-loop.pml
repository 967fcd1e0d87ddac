// Processes started in a loop.
//! rule 1.3
//! plain 122/130/252/0/19 ok
byte x;
proctype P(byte n) { x = x + n }
init { byte i; do :: i < 3 -> run P(i); i++ :: else -> break od; (_nr_pr == 1) -> assert(x == 3) }
