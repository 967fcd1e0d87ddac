// A for loop in an inline with its parameters as bounds.
//! rule f
//! plain 16/0/16/0/15 ok
byte i, s;
inline sum(lo, hi) { for (i : lo .. hi) { s = s + i } }
active proctype A() { sum(1, 2); sum(3, 3); assert(s == 6) }
