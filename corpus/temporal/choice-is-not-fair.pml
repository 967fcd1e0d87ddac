// Fairness is about processes, not about the choices of one.
//! verdict p violated
//! weak p violated
//! strong p violated
bit x;
active proctype A() { do :: x = 0 :: x = 1 od }
ltl p { <> x }
