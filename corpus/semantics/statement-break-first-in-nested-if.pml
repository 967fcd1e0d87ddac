// A break alone in an option of a selection in a loop is a step.
//! rule b
//! plain 10/1/11/0/6 ok
byte x;
active proctype A() { do :: x < 3 -> x++; if :: break :: x == 1 fi :: else -> break od; x = 0 }
