// A type that does not exist.
//! rule 10 row 23
//! error 4
Point p;
active proctype A() { skip }
