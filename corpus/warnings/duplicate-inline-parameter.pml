// Two parameters of one name in an inline: the first one counts.
//! rule 10 row 7
//! warning 5
byte x;
inline f(a, a) { x = a }
active proctype A() { f(1, 2); assert(x == 1) }
