// A goto back to a label makes a loop.
//! rule b
//! plain 10/0/10/0/9 ok
byte x;
active proctype A() { again: x++; if :: x < 3 -> goto again :: else -> skip fi; x = 0 }
