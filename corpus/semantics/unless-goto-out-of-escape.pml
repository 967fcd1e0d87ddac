// A goto out of an escape.
//! rule 2.7
//! plain 20/10/30/0/5 ok
byte x, e;
active proctype A() { { x = 1; x = 2 } unless { e == 1 -> goto L }; x = 3; L: x = 4 }
active proctype B() { e = 1 }
