// A claim that has no way on behind its accept label accepts nothing.
//! verdict assertions holds
//! verdict deadlock holds
//! verdict n holds
byte x;
active proctype A() { x = 1 }
never n { do :: true :: x == 1 -> goto accept od; accept: false }
