// The widest literal range that is one step.
//! rule g
//! plain 36/32/68/0/3 ok
byte x;
active proctype A() { select (x : 0 .. 32); x = 0 }
