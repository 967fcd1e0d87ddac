// A proctype without a statement.
//! rule 10 row 11
//! error 4
active proctype A() { }
