// Who offers a rendezvous when matters to a fair scheduler.
//! verdict p violated
//! weak p violated
chan c = [0] of { byte };
bit g;
active proctype R() { byte v; c?v; L: do :: v = 0 od }
active proctype P() { do :: skip; if :: g == 1 -> skip :: c!0 fi od }
active proctype Q() { do :: g = 1; if :: g = 0 :: c!0 fi od }
ltl p { <> (R@L) }
