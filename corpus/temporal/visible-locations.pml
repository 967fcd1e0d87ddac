// A formula over labels sees where processes are.
//! verdict p violated
//! verdict q holds
active proctype A() { byte l; l = 1; L: l = 2; l = 3 }
active proctype B() { byte l; l = 1; M: l = 2; l = 3 }
ltl p { [] !(A@L && B@M) }
ltl q { <> A@L && <> B@M }
