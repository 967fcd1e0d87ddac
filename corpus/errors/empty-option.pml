// An option without a statement.
//! rule 10 row 11
//! error 5
byte x;
active proctype A() { if :: x = 1 :: fi }
