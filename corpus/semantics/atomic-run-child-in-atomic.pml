// A child whose body is an atomic that waits for its parent.
//! rule 2.2
//! plain 7/1/8/6/9 ok
byte x;
proctype P() { atomic { x == 1 -> x = 2; x = 3 } }
init { atomic { run P(); x = 1; x == 3; x = 4 } }
