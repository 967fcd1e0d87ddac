// An atomic that blocks loses control there, the state is stored, and it regains control between x = 2 and the assertion.
//! rule 2.2
//! plain 10/2/12/4/8 errors
//! verdict assertions violated
//! verdict deadlock holds
byte x;
active proctype A() { atomic { x = 1; (x == 2); x = 3 } }
active proctype B() { (x == 1); x = 2; assert(x == 2) }
