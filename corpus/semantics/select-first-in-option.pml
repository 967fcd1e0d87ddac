// A select that is first in an option.
//! rule g
//! plain 6/2/8/0/3 ok
byte x;
active proctype A() { if :: select (x : 1 .. 2) :: x = 9 fi; x = 0 }
