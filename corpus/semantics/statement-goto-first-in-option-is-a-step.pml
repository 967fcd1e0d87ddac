// A goto that is first in an option is a step.
//! rule b
//! plain 6/1/7/0/3 ok
byte x;
active proctype A() { if :: goto L :: x = 1 fi; x = 2; L: x = 3 }
