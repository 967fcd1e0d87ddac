// A goto from the escape back into the main part puts it under the escape again.
//! rule 2.7
//! plain 14/0/14/0/13 ok
byte x, n;
active proctype A() { { x = 1; L: x = 2; x = 3 } unless { x == 2 && n < 2 -> n++; x = 0; goto L }; x = 4 }
