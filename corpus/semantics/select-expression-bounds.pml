// Bounds that are constant expressions are not literals.
//! rule g
//! plain 11/2/13/0/6 ok
byte x;
active proctype A() { select (x : 1 + 1 .. 2 * 2); x = 0 }
