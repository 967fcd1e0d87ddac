// A parenthesis that is not closed.
//! rule 10 row 11
//! error 5
byte x;
active proctype A() { x = (1 + 2; x = 3 }
