// A rendezvous that is possible again and again: only strong fairness helps.
//! verdict assertions holds
//! verdict deadlock holds
//! verdict p violated
//! weak p violated
//! strong p holds
chan c = [0] of { bit };
bit y, x;
active proctype S() { c!1; y = 1 }
active proctype R() { bit v; do :: c?v -> break :: x = 1; x = 0 od }
ltl p { <> (y == 1) }
