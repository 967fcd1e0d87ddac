// The narrowest literal range that is counted up.
//! rule g
//! plain 104/33/137/0/70 ok
byte x;
active proctype A() { select (x : 0 .. 33); x = 0 }
