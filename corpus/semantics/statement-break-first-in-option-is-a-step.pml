// A break that is first in an option is a step.
//! rule b
//! plain 10/2/12/0/5 ok
byte x;
active proctype A() { do :: break :: x < 2 -> x++ od; x = 9 }
