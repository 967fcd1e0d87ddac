// An else of a loop that is first in an option, between two other guards.
//! rule c
//! plain 7/0/7/0/3 ok
byte x;
active proctype A() { if :: x == 5 -> x = 4 :: do :: x == 1 -> x = 2 :: else -> x = 3; break od :: x == 0 -> x = 6 fi }
