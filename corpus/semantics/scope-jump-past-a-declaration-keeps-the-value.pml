// A jump past a declaration does not initialise the variable.
//! rule 1.2
//! plain 16/0/16/0/15 ok
byte n;
active proctype A() { { byte k = 7; again: n = n + k; k = 1; if :: n < 10 -> goto again :: else fi }; assert(n == 10) }
