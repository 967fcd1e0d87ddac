// A for loop as main part.
//! rule 2.7
//! plain 52/18/70/0/12 ok
byte i, s, e;
active proctype A() { { for (i : 1 .. 2) { s = s + i } } unless { e == 1 -> s = 50 } }
active proctype B() { e = 1 }
