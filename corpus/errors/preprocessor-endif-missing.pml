// A condition of the preprocessor that is not closed.
//! rule 10 row 21
//! error 4
#ifdef FOO
byte x;
active proctype A() { skip }
