// L4: `!!` is the sign of a sorted send elsewhere.
//! verdict p violated
//! verdict q holds
byte x;
active proctype A() { x = 1; x = 2 }
ltl p { [] !!(x < 2) }
ltl q { !!<> (x == 2) && [] (!!!!(x < 3)) }
