// Three processes started in one atomic step end in any order but die youngest first.
//! rule 2.1
//! plain 17/10/27/2/10 ok
byte x;
proctype P() { x++ }
init { atomic { run P(); run P(); run P() } }
