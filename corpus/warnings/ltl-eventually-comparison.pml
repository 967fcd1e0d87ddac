// A comparison after a temporal operator without parentheses.
//! rule 4
//! warning 6
byte x;
active proctype A() { x = 1; x = x + 1 }
ltl p { <> x == 2 }
