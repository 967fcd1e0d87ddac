// An inline that calls itself.
//! rule 10 row 22
//! error 5
byte x;
inline f() { x++; f() } active proctype A() { f() }
