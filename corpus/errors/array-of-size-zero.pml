// An array without elements.
//! rule 10 row 10
//! error 4
byte a[0];
active proctype A() { skip }
