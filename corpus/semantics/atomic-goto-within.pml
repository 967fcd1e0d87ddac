// A goto within an atomic stays atomic.
//! rule 2.2
//! plain 7/2/9/6/6 ok
byte x;
active proctype A() { atomic { x = 1; goto L; x = 2; L: x = 3; x = 4 } }
active proctype B() { assert(x == 0 || x == 4) }
