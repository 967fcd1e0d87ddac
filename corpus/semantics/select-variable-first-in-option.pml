// A select with a variable bound that is first in an option.
//! rule g
//! plain 9/2/11/0/4 ok
byte x, hi = 2;
active proctype A() { if :: select (x : 1 .. hi) :: x = 9 fi; x = 0 }
