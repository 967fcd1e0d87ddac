// Three parts joined by unless.
//! rule 2.7
//! plain 26/11/37/0/7 ok
byte x, e, d;
active proctype A() { { x = 1; x = 2 } unless { e == 1 -> x = 7; x = 8 } unless { d == 1 -> x = 9 } }
active proctype B() { e = 1; d = 1 }
