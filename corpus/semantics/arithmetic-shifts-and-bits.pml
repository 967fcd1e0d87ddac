// Shifts and bit operators work on int.
//! rule 1.4
//! plain 9/0/9/0/8 ok
int x = 6;
active proctype A() { assert(x << 2 == 24); assert(x >> 1 == 3); assert((x & 3) == 2); assert((x | 1) == 7); assert((x ^ 5) == 3); assert(~x == -7); assert(-8 >> 1 == -4) }
