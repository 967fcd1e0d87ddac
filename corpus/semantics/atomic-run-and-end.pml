// The end of a process is not part of the atomic before it.
//! rule 2.1
//! plain 16/10/26/11/10 ok
byte x;
proctype P() { atomic { x++; x++ } }
init { atomic { run P(); run P() }; assert(x % 2 == 0) }
