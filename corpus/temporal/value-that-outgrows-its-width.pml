// A value that turns up late is seen by the formula.
//! verdict p violated
byte x; byte n;
active proctype A() { do :: n < 250 -> n++ :: else -> x = 200; n = 0 od }
ltl p { [] (x < 100) }
