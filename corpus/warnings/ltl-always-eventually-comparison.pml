// A comparison after two temporal operators without parentheses.
//! rule 4
//! warning 6
byte x;
active proctype A() { do :: x = 1 - x od }
ltl p { [] <> x == 1 }
