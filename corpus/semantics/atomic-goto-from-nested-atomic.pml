// A goto from a nested atomic to the outer one.
//! rule 2.2
//! plain 7/2/9/9/7 ok
byte x;
active proctype A() { atomic { x = 1; atomic { x = 2; goto L }; x = 3; L: x = 4; x = 5 } }
active proctype B() { assert(x == 0 || x == 5) }
