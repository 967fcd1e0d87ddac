// A never claim without a way to go on does not accept.
//! verdict n holds
byte x;
active proctype A() { do :: x = 1 :: x = 2 od }
never n { x == 0; x == 1; x == 3; accept: do :: true od }
