// Two proctypes of one name.
//! rule 10 row 8
//! error 5
active proctype A() { skip }
active proctype A() { skip }
