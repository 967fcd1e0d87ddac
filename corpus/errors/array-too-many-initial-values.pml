// More initial values than elements.
//! rule 1.2
//! error 4
byte a[2] = { 1, 2, 3 };
active proctype A() { a[0] = 1 }
