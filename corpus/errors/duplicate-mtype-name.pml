// A name twice in mtype declarations.
//! rule 10 row 13
//! error 5
mtype = { a, b };
mtype = { c, a };
active proctype A() { skip }
