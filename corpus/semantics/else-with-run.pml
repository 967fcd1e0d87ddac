// An else beside run, which is always executable.
//! rule 2.5
//! plain 5/0/5/0/4 ok
byte x;
proctype P() { x = 5 }
active proctype A() { if :: run P() :: else -> assert(false) fi }
