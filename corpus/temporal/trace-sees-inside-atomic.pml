// A trace sees the events inside of an atomic sequence one by one.
//! verdict assertions holds
//! verdict deadlock holds
//! verdict trace violated
chan q = [2] of { byte };
active proctype A() { byte v; atomic { q!1; q?v; q!2; q?v } }
trace { q!1; q!3 }
