// Assertions and prints in an atomic are steps of the chain.
//! rule 2.2
//! plain 3/0/3/3/5 ok
byte x;
active proctype A() { atomic { x = 1; printf("x = %d\n", x); assert(x == 1); x = 2 } }
