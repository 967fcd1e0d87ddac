// A declaration in an atomic at the start of a body is a step.
//! rule 1.2
//! plain 4/0/4/1/4 ok
byte x;
active proctype A() { atomic { byte k = 2; x = k }; assert(x == 2) }
