// An atomic sequence of a claim is one observation: all its conditions are about the same state.
//! verdict assertions holds
//! verdict deadlock holds
//! verdict n violated
//! verdict m holds
byte x;
active proctype A() { x = 1; x = 2 }
never n { atomic { x == 0; x < 1; x < 2 }; x == 1; atomic { x == 2; x > 1 }; x == 2; x == 2 }
never m { atomic { x == 0; x == 1 } }
