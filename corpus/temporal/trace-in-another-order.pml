// An event that the trace does not allow at that point.
//! verdict trace violated
chan q = [1] of { byte };
active proctype A() { q!2; q!1 }
active proctype B() { byte v; q?v; q?v }
trace { q!1; q!2 }
