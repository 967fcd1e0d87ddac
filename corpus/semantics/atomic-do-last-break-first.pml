// A loop at the end of an atomic that is left by a break that is first in its option.
//! rule d
//! plain 6/2/8/8/9 ok
byte x;
active proctype A() { atomic { x = 1; do :: x < 3 -> x++ :: break od }; x = 5 }
