// A negative initial value for a byte.
//! rule 10 row 12
//! warning 4
byte x = -2;
active proctype A() { assert(x == 254) }
