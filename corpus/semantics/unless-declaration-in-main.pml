// A declaration in the main part is a step under the escape.
//! rule 2.7
//! plain 19/5/24/0/5 ok
byte x, e;
active proctype A() { { byte k = 3; x = k } unless { e == 1 -> x = 9 } }
active proctype B() { e = 1 }
