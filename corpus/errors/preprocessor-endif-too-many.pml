// An end of a condition that was not opened.
//! rule 10 row 21
//! error 5
active proctype A() { skip }
#endif
