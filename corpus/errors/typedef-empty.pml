// A struct without fields.
//! rule 1.2
//! error 4
typedef T { };
active proctype A() { skip }
