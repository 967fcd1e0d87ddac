// A select over one value.
//! rule g
//! plain 4/0/4/0/3 ok
byte x;
active proctype A() { select (x : 3 .. 3); assert(x == 3) }
