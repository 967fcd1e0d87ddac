// S2: only the hidden bit tells the states of a loop apart.
//! verdict assertions holds
//! verdict deadlock holds
//! verdict p holds
//! verdict q violated
hidden bit h;
active proctype A() { do :: h = 1; h = 0 od }
ltl p { [] <> (h == 1) }
ltl q { <> [] (h == 0) }
