// With strict end states a message in the channel of a dead process does not count.
//! rule 2.11
//! pan -q
//! options --strict-end
//! plain 3/0/3/0/2 ok
active proctype A() { chan q = [1] of { byte }; q!1 }
