// With strict end states a run that empties its channels is fine.
//! rule 2.11
//! pan -q
//! options --strict-end
//! plain 5/0/5/0/4 ok
chan q = [1] of { byte };
active proctype A() { q!1 }
active proctype B() { byte v; q?v }
