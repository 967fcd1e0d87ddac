// Formulas about what channels hold.
//! verdict p holds
//! verdict q violated
//! verdict r holds
//! verdict s holds
chan c = [2] of { byte };
active proctype S() { do :: c!1 od }
active proctype R() { byte v; do :: c?v od }
ltl p { [] (len(c) <= 2) }
ltl q { [] nfull(c) }
ltl r { [] (full(c) -> !empty(c)) }
ltl s { [] (c?[1] || empty(c)) }
