// A break leaves the unless together with the loop.
//! rule 2.7
//! plain 41/20/61/0/11 ok
byte x, e;
active proctype A() { do :: x < 3 -> x++ :: x == 3 -> break od unless { e == 1 -> x = 9 }; assert(x == 3 || x == 9) }
active proctype B() { e = 1 }
