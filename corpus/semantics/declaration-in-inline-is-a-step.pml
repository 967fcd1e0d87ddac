// A declaration in an inline is a step of each call.
//! rule 2.18
//! plain 9/0/9/0/8 ok
byte x;
inline inc(v, d) { byte t; t = v; v = t + d }
active proctype A() { inc(x, 2); inc(x, 3); assert(x == 5) }
