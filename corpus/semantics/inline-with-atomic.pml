// An inline that is an atomic, called in a row.
//! rule 2.2
//! plain 10/4/14/6/7 ok
byte x;
inline inc2() { atomic { x++; x++ } }
active proctype A() { inc2(); inc2() }
active proctype B() { assert(x % 2 == 0) }
