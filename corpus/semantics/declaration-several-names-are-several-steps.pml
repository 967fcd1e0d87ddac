// A declaration of several names after the first statement costs one step for each.
//! rule 1.2
//! plain 7/0/7/0/6 ok
active proctype A() { skip; byte a = 1, b = 2, c; assert(a + b + c == 3) }
