// A literal with a leading zero is decimal.
//! rule 1.1
//! plain 4/0/4/0/3 ok
int x;
active proctype A() { x = 010; assert(x == 10) }
