// An inline with return may stand on the right side of an assignment.
//! rule 1.1
//! plain 4/0/4/0/3 ok
byte x;
inline plus(a, b) { return a + b }
active proctype A() { x = plus(2, 3); assert(x == 5) }
