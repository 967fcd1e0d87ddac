// A break at the end of a selection in a loop is free.
//! rule b
//! plain 9/0/9/0/8 ok
byte x;
active proctype A() { do :: x++; if :: x > 2 -> break :: else fi od; x = 0 }
