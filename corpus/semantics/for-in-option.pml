// A for loop that is first in an option starts with its assignment.
//! rule c2
//! plain 14/0/14/0/10 ok
byte i, s;
active proctype A() { if :: for (i : 1 .. 2) { s++ } :: s = 9 fi; assert(s == 2 || s == 9) }
