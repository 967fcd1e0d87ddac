// A formula sees a label inside of an atomic sequence where the process waits.
//! verdict assertions holds
//! verdict deadlock holds
//! verdict p violated
byte x;
active proctype A() { atomic { x = 1; L: x == 2; x = 3 } }
active proctype B() { x == 1 -> x = 2 }
ltl p { [] !(A@L) }
