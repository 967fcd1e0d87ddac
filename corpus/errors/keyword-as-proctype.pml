// A reserved word as the name of a proctype.
//! rule 10 row 14
//! error 4
active proctype run() { skip }
