// A provided clause that is never true stops the process for ever.
//! rule 2.8
//! plain 3/0/3/0/2 errors
//! verdict assertions holds
//! verdict deadlock violated
byte x;
active proctype A() provided (false) { x = 1 }
active proctype B() { assert(x == 0) }
