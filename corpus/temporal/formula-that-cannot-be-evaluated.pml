// An index out of range in a formula is an error; where a part before it decides, it is not looked at.
//! verdict p violated
//! verdict q holds
byte a[2]; byte i;
active proctype A() { do :: i < 3 -> i++ :: else -> i = 0 od }
ltl p { [] (a[i] == 0) }
ltl q { [] (i >= 2 || a[i] == 0) }
