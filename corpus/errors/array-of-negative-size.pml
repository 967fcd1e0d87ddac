// An array of negative size.
//! rule 10 row 10
//! error 4
byte a[-2];
active proctype A() { skip }
