// An error that the text itself reports.
//! rule 10 row 21
//! error 5
#ifndef SIZE
#error "SIZE must be given"
#endif
active proctype A() { skip }
