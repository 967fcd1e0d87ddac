// A reserved word as the name of a variable.
//! rule 10 row 14
//! error 4
byte len;
active proctype A() { skip }
