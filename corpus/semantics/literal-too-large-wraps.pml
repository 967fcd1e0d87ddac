// A literal beyond 32 bits keeps its low 32 bits.
//! rule 1.1
//! plain 5/0/5/0/4 ok
int x = 2147483648, y = 4000000000, z = 99999999999;
active proctype A() { assert(x < 0); assert(y == -294967296); assert(z == 1215752191) }
