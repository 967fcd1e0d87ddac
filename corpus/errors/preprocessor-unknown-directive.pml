// A directive that does not exist.
//! rule 10 row 21
//! error 4
#defin N 3
active proctype A() { skip }
