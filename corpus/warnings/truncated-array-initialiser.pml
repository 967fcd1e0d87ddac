// A value in a list that does not fit.
//! rule 10 row 12
//! warning 4
byte a[3] = { 1, 256, 3 };
active proctype A() { assert(a[1] == 0) }
