// A goto from the inner main part out of two escapes.
//! rule 2.7
//! plain 31/17/48/0/8 ok
byte x, e;
active proctype A() { { { x = 1; goto L; x = 2 } unless { e == 1 -> x = 7 }; x = 3 } unless { e == 2 -> x = 8 }; x = 4; L: x = 5 }
active proctype B() { e = 1; e = 2 }
