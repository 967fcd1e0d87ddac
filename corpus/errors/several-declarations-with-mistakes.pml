// Mistakes in declarations.
//! rule 9
//! error 8
//! error 9
//! error 10
//! error 11
byte x;
byte x;
byte a[0];
unsigned u : 40;
chan c = [1] of { unsigned };
active proctype A() { skip }
