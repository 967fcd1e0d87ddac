// A local that its process does not read any more, but the formula does.
//! verdict assertions holds
//! verdict deadlock violated
//! verdict p holds
//! verdict q violated
byte x;
active proctype A() { byte v; v = 3; x = v; L: x == 9 }
ltl p { [] (A@L -> A:v == 3) }
ltl q { [] (A:v == 0) }
