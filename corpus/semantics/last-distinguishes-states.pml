// States that differ only in _last are different.
//! rule 2.21
//! plain 12/3/15/0/5 ok
byte x, y;
active proctype A() { x = 1 }
active proctype B() { y = 1; if :: _last == 9 :: else fi }
