// Two steps that commute can be told apart by a formula.
//! verdict p violated
byte x, y;
active proctype A() { x = 1 }
active proctype B() { y = 1 }
ltl p { [] (x >= y) }
