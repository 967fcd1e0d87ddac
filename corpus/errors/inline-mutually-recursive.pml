// Two inlines that call each other.
//! rule 10 row 22
//! error 5
byte x;
inline f() { x++; g() } inline g() { x--; f() } active proctype A() { f() }
