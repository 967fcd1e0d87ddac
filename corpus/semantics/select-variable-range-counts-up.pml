// A select with a bound that is no literal is a loop that counts up.
//! rule 2.19
//! plain 20/0/20/0/10 ok
byte x, hi = 4;
active proctype A() { select (x : 1 .. hi); assert(x >= 1 && x <= 4) }
