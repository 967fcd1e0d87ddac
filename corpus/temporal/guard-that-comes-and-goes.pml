// A guard that is true again and again, but never for good: only strong fairness helps.
//! verdict p violated
//! weak p violated
//! strong p holds
bit x, y;
active proctype A() { do :: x = !x od }
active proctype B() { x -> y = 1 }
ltl p { <> y }
