// A loop that is first in an option: the outer choice and the inner loop are two states.
//! rule c2
//! plain 10/0/10/0/6 ok
byte x;
active proctype A() { if :: do :: x < 2 -> x++ :: x == 2 -> break od :: x == 0 -> x = 5 fi }
