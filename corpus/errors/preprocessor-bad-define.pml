// A macro without a name.
//! rule 10 row 21
//! error 4
#define 3 4
active proctype A() { skip }
