// An if that is first in an option gives its guards to the outer choice.
//! rule c
//! plain 9/0/9/0/3 ok
byte x;
active proctype A() { if :: if :: x = 1 :: x = 2 fi; x = x + 10 :: x = 3 fi }
