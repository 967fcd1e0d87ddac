// A goto into the middle of an atomic: the rest from there is atomic.
//! rule 2.2
//! plain 13/6/19/6/8 ok
byte x;
active proctype A() { x = 1; goto L; atomic { x = 2; L: x = 3; x = 4; x = 5 }; x = 6 }
active proctype B() { assert(x != 3 && x != 4) }
