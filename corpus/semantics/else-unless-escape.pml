// An else in the main part of an unless.
//! rule 2.5
//! plain 15/4/19/0/5 ok
byte x, e;
active proctype A() { { if :: x == 1 -> x = 2 :: else -> x = 3 fi } unless { e == 1 -> x = 9 } }
active proctype B() { e = 1 }
