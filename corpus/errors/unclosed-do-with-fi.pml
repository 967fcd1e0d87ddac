// A loop closed by the wrong word.
//! rule 10 row 11
//! error 5
byte x;
active proctype A() { do :: x = 1 fi }
