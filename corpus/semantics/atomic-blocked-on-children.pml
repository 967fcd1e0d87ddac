// An atomic starts two processes and blocks until they are gone, then continues atomically.
//! rule 2.2
//! plain 10/2/12/3/9 ok
byte x;
proctype P() { x++ }
init { atomic { run P(); run P(); _nr_pr == 1 -> assert(x == 2) } }
