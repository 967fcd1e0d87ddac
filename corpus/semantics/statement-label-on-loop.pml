// A label on a loop names the loop itself.
//! rule c2
//! plain 9/0/9/0/8 ok
byte x;
active proctype A() { L: do :: x < 2 -> x++ :: x == 2 -> x = 5; goto L :: x > 4 -> break od }
