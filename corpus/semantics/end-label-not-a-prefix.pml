// A label that has end only at its end will not do.
//! rule 2.11
//! plain 2/0/2/0/1 errors
//! verdict assertions holds
//! verdict deadlock violated
byte x;
active proctype A() { x = 1; the_end: x == 7 }
