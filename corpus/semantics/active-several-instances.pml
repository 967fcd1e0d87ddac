// An active proctype with a count starts that many processes.
//! rule 1.2
//! plain 15/10/25/0/6 ok
byte x;
active [3] proctype P() { x = x + _pid }
