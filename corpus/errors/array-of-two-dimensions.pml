// An array of two dimensions.
//! rule 10 row 10
//! error 4
byte a[2][3];
active proctype A() { skip }
