// A priority of 0.
//! rule 2.9
//! error 4
active proctype A() priority 0 { skip }
