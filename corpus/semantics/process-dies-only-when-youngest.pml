// A finished process is removed only when it is the youngest, so _nr_pr falls to 1 after both have ended.
//! rule 2.1
//! plain 14/4/18/0/9 ok
byte d;
proctype P() { d++ }
init { run P(); run P(); (_nr_pr == 1) -> assert(d == 2) }
