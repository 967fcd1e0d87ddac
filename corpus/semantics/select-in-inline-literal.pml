// A select with literal bounds inside an inline.
//! rule g
//! plain 15/0/15/0/8 ok
byte x;
inline pick() { select (x : 1 .. 3) }
active proctype A() { pick(); assert(x >= 1 && x <= 3) }
