// A select over a wide literal range is a loop that counts up.
//! rule 2.19
//! plain 200/0/200/0/82 ok
byte x;
active proctype A() { select (x : 1 .. 40); assert(x >= 1 && x <= 40) }
