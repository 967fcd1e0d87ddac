// Declarations before the first statement are free, a later one is a step.
//! rule 2.18
//! plain 5/0/5/0/4 ok
byte g = 3;
active proctype A() { byte a = g; byte b; b = a; byte c = b; assert(c == 3) }
