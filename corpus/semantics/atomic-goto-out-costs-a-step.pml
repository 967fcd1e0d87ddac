// A goto that leaves an atomic is a step of its own inside the atomic chain.
//! rule 2.2
//! plain 13/6/19/6/8 ok
byte x;
active proctype A() { atomic { x = 1; x = 2; goto L }; x = 9; L: x = 4; x = 5 }
active proctype B() { assert(x != 1) }
