// State in C.
//! rule 8
//! error 4
c_state "int k" "Global"
active proctype A() { skip }
