// What is read for ever at the end is read as often as the claim asks, and never anything else.
//! verdict assertions holds
//! verdict deadlock holds
//! verdict n holds
//! verdict m violated
byte x;
active proctype A() { x = 1 }
never n { x == 0; x == 1; x == 1; x == 1; x == 1; x == 0 }
never m { x == 0; x == 1; x == 1; x == 1; x == 1; x == 1; x == 1; x == 1 }
