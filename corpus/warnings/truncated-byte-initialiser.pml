// An initial value that does not fit a byte.
//! rule 10 row 12
//! warning 4
byte x = 300;
active proctype A() { assert(x == 44) }
