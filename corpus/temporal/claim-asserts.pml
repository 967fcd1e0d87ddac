// An assertion of a never claim fails.
//! verdict n violated
byte x;
active proctype A() { do :: x < 3 -> x++ :: else -> x = 0 od }
never n { do :: assert(x < 3) od }
