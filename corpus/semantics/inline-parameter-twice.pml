// Of two inline parameters of one name the first one counts.
//! rule 10 row 7
//! plain 5/0/5/0/4 ok
byte x;
inline f(a, b, a) { x = a; x = x + b }
active proctype A() { f(1, 2, 3); assert(x == 3) }
