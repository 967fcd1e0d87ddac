// A run may end before the trace does.
//! verdict assertions holds
//! verdict deadlock holds
//! verdict trace holds
chan q = [2] of { byte };
active proctype A() { q!1 }
active proctype B() { byte v; q?v }
trace { q!1; q?1; q!2 }
