// All events of a notrace happened.
//! verdict notrace violated
chan q = [1] of { byte };
active proctype A() { q!1; q!2 }
active proctype B() { byte v; q?v; q?v }
notrace { q!1; q!2 }
