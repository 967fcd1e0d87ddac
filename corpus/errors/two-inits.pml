// Two init bodies.
//! rule 10 row 17
//! error 5
init { skip }
init { skip }
