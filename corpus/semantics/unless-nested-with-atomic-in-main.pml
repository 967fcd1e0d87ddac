// Escapes at two levels of a main part with an atomic.
//! rule 2.7
//! plain 51/33/84/1/8 ok
byte x, e, d;
active proctype A() { { { atomic { x = 1; x = 2 }; x = 3 } unless { e == 1 -> x = 7 } } unless { d == 1 -> x = 9 } }
active proctype B() { e = 1 }
active proctype C() { d = 1 }
