// A comment that does not end.
//! rule 10 row 21
//! error 5
active proctype A() { skip }
/* this does not end
