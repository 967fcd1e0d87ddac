// A goto from one atomic to another lets others run in between.
//! rule 2.2
//! plain 10/4/14/6/7 errors
//! verdict assertions violated
//! verdict deadlock holds
byte x;
active proctype A() { atomic { x = 1; goto L }; x = 8; L: atomic { x = 2; x = 3 } }
active proctype B() { assert(x != 1) }
