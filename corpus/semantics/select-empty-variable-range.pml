// A select over an empty range given by variables yields the lower bound.
//! rule g
//! plain 5/0/5/0/4 ok
byte x, lo = 5, hi = 3;
active proctype A() { select (x : lo .. hi); assert(x == 5) }
