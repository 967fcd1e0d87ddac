// Formulas with parentheses are fine.
//! rule 4
byte x;
active proctype A() { do :: x = 1 - x od }
ltl p { [] (x < 2) }
ltl q { <> (x == 1) }
ltl r { [] ((x == 0) -> <> (x == 1)) }
ltl s { ((x == 0) U (x == 1)) }
