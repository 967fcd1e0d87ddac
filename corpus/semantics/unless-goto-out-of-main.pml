// A goto out of the main part leaves the unless.
//! rule 2.7
//! plain 21/10/31/0/7 ok
byte x, e;
active proctype A() { { x = 1; if :: x == 1 -> goto L :: else fi; x = 2 } unless { e == 1 -> x = 9 }; x = 3; L: x = 4 }
active proctype B() { e = 1 }
