// A select in a loop.
//! rule g
//! plain 13/3/16/0/11 ok
byte x, n;
active proctype A() { do :: n < 2 -> select (x : 0 .. 1); n = n + x :: else -> break od }
