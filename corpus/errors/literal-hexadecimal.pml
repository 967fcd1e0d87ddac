// A hexadecimal literal.
//! rule 10 row 23
//! error 4
byte x = 0x10;
active proctype A() { skip }
