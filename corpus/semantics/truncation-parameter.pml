// Arguments of run are truncated to the type of the parameter.
//! rule 1.2
//! plain 5/0/5/0/4 ok
proctype P(byte x; short s; bit b; unsigned u : 2) { assert(x == 44 && s == 4464 && b == 0 && u == 3) }
init { run P(300, 70000, 2, 7) }
