// A parameter that only the formula reads.
//! verdict assertions holds
//! verdict deadlock holds
//! verdict p violated
byte x;
proctype P(byte v) { x = 1; L: x = 2 }
init { run P(3) }
ltl p { [] !(P[1]@L && P[1]:v == 3) }
