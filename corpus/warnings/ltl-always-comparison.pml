// A comparison after always without parentheses.
//! rule 4
//! warning 6
byte x;
active proctype A() { x = 1; x = x + 1 }
ltl p { [] x < 3 }
