// A variable with the name of an mtype constant.
//! rule 10 row 13
//! error 5
mtype = { red, green };
byte red;
active proctype A() { skip }
