// An atomic that is first in an option gives its first statement as guard.
//! rule c
//! plain 5/0/5/4/8 ok
byte x;
active proctype A() { do :: atomic { x < 2 -> x++; x++ } :: atomic { x >= 2 -> x = 9; break } od; assert(x == 9) }
