// An escape that is a selection has several guards, all before the main part.
//! rule 2.7
//! plain 25/12/37/0/7 ok
byte x, e;
active proctype A() { { x = 1; x = 2; x = 3 } unless { if :: e == 1 -> x = 8 :: x == 2 -> x = 9 fi } }
active proctype B() { e = 1 }
