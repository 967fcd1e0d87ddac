// An unsigned of n bits keeps n bits.
//! rule 1.2
//! plain 11/0/11/0/10 ok
unsigned x : 3;
active proctype A() { x = 9; assert(x == 1); x = 7; x++; assert(x == 0); x--; assert(x == 7); x = 5; assert(x == 5) }
