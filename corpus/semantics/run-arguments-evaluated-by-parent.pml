// Arguments of run are evaluated when it is executed.
//! rule 1.3
//! plain 5/0/5/1/5 ok
byte x = 2;
proctype P(byte a, b) { assert(a == 2 && b == 5) }
init { atomic { run P(x, x + 3); x = 9 } }
