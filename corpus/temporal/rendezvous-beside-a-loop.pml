// Both partners of a rendezvous can move, and both do.
//! verdict p violated
//! weak p holds
//! strong p holds
chan c = [0] of { bit };
bit y, x;
active proctype S() { do :: c!1 od }
active proctype R() { bit v; do :: c?v -> y = 1; y = 0 od }
active proctype L() { do :: x = !x od }
ltl p { [] <> y }
