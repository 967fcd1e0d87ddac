// A formula does not see a label inside of an atomic sequence that is only passed.
//! verdict assertions holds
//! verdict deadlock holds
//! verdict p holds
byte x;
active proctype A() { atomic { x = 1; L: x = 2; x = 3 } }
active proctype B() { skip; skip }
ltl p { [] !(A@L) }
