// A select whose bounds are parameters of an inline.
//! rule g
//! plain 15/0/15/0/8 ok
byte x;
inline pick(lo, hi) { select (x : lo .. hi) }
active proctype A() { pick(1, 3); assert(x >= 1 && x <= 3) }
