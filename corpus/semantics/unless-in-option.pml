// An unless that is first in an option.
//! rule 2.7
//! plain 27/9/36/0/6 ok
byte x, e;
active proctype A() { if :: { x == 0 -> x = 1; x = 2 } unless { e == 1 -> x = 9 } :: x == 0 -> x = 5 fi }
active proctype B() { e = 1 }
