// A select over a short literal range is one step with one branch per value.
//! rule 2.19
//! plain 13/0/13/0/3 ok
byte x;
active proctype A() { select (x : 1 .. 4); assert(x >= 1 && x <= 4) }
