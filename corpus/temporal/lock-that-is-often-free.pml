// A lock that is free again and again, but never for good: only strong fairness helps.
//! verdict assertions holds
//! verdict deadlock holds
//! verdict p violated
//! weak p violated
//! strong p holds
bit l, y;
active proctype A() { do :: atomic { l == 0 -> l = 1 }; l = 0 od }
active proctype B() { atomic { l == 0 -> l = 1 }; y = 1; l = 0 }
ltl p { <> (y == 1) }
