// An escape frees a main part that blocks for ever.
//! rule 2.7
//! plain 8/2/10/0/5 ok
byte x, e;
active proctype A() { { false; x = 1 } unless { e == 1 -> x = 9 } }
active proctype B() { e = 1 }
