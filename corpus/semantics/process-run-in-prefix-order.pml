// Parameters can be used in prefix initial values.
//! rule 1.2
//! plain 5/0/5/0/4 ok
proctype P(byte a) { byte b = a * 2; byte c = b + a; assert(c == 9) }
init { run P(3) }
