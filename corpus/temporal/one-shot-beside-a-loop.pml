// A single step beside a loop is taken in the end, if the scheduler is fair.
//! verdict p violated
//! weak p holds
//! strong p holds
byte n; bit x;
active proctype A() { n = 1 }
active proctype B() { do :: x = !x od }
ltl p { <> (n == 1) }
