// A process that died makes room: the next one has the same number.
//! rule 2.1
//! plain 12/2/14/0/9 ok
byte n;
pid p, q;
proctype P() { n++ }
init { p = run P(); (_nr_pr == 1); q = run P(); assert(p == q) }
