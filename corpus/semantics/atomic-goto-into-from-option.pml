// A goto into an atomic that is first in an option.
//! rule 2.2
//! plain 16/11/27/9/7 ok
byte x;
active proctype A() { if :: goto L :: x = 1 fi; atomic { x = 2; L: x = 3; x = 4 }; x = 6 }
active proctype B() { assert(x != 3) }
