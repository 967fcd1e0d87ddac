// A trace sees the events inside of a d_step one by one.
//! verdict assertions holds
//! verdict deadlock holds
//! verdict trace holds
chan q = [2] of { byte };
active proctype A() { d_step { q!1; q!2 } }
trace { q!1; q!2 }
