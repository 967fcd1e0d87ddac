// A failed assertion in an atomic is reported; the search goes on after it.
//! rule 2.2
//! plain 4/0/4/2/5 errors
//! verdict assertions violated
//! verdict deadlock holds
byte x;
active proctype A() { atomic { x = 1; assert(x == 0); x = 2 }; x = 3 }
