// Two formulas of one name.
//! rule 10 row 7
//! error 6
byte x;
ltl p { [] (x == 0) }
ltl p { <> (x == 0) }
active proctype A() { x = 1 }
