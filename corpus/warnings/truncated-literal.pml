// A literal that does not fit 32 bits.
//! rule 10 row 12
//! warning 4
int x = 9999999999;
active proctype A() { assert(x != 0) }
