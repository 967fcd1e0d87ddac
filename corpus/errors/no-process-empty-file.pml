// A model with nothing in it.
//! rule 10 row 27
//! error 1

