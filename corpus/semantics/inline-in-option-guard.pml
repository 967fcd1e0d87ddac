// An inline call as the first statement of an option gives its first statement as guard.
//! rule c2
//! plain 7/0/7/0/6 ok
byte x;
inline take(n) { x == n -> x = n + 1 }
active proctype A() { do :: take(0) :: take(1) :: x == 2 -> break od }
