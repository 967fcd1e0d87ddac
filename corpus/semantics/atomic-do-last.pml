// A loop at the end of an atomic.
//! rule d
//! plain 4/0/4/7/10 ok
byte x;
active proctype A() { atomic { x = 1; do :: x < 3 -> x++ :: x == 3 -> break od }; x = 5 }
