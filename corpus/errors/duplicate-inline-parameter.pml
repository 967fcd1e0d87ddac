// Two parameters of one name in an inline.
//! rule 10 row 7
//! error 5
byte x;
inline f(a, a) { x = a }
active proctype A() { f(1, 2) }
