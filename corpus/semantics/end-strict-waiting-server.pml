// With strict end states a server at an end label with a message left is an error.
//! rule 2.11
//! pan -q
//! options --strict-end
//! plain 3/0/3/0/2 errors
//! verdict assertions holds
//! verdict deadlock violated
chan q = [2] of { byte };
active proctype A() { byte v; end: q?1 }
active proctype B() { q!2 }
