// An end label on a selection.
//! rule 2.11
//! plain 2/0/2/0/1 ok
byte x;
active proctype A() { x = 1; end: if :: x == 7 :: x == 8 -> x = 2 fi }
