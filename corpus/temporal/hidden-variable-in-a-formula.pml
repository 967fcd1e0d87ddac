// S2: a hidden variable that only a formula reads.
//! rule 2.23
//! verdict p violated
//! verdict q holds
hidden byte h;
active proctype A() { h = 1; h = 2; h = 3; h = 0 }
ltl p { [] (h < 3) }
ltl q { [] (h < 4) && <> (h == 2) }
