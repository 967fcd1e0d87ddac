// An atomic that starts with a loop.
//! rule c2
//! plain 6/0/6/6/11 ok
byte x;
active proctype A() { atomic { do :: x < 2 -> x++ :: x == 2 -> break od; x = 7 } }
active proctype B() { x == 7 -> x = 8 }
