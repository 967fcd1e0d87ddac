// A negative number of instances.
//! rule 10 row 24
//! error 4
active [-1] proctype A() { skip }
