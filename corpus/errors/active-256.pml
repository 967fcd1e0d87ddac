// More instances than there can be processes.
//! rule 10 row 24
//! error 4
active [256] proctype A() { skip }
