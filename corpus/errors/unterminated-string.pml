// A string that does not end.
//! rule 10 row 21
//! error 4
active proctype A() { printf("no end); skip }
