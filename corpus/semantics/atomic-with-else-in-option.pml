// An else beside options that are atomics.
//! rule c
//! plain 5/0/5/3/7 ok
byte x;
active proctype A() { do :: atomic { x == 0 -> x = 1; x = 2 } :: atomic { x == 2 -> x = 3 } :: else -> break od }
