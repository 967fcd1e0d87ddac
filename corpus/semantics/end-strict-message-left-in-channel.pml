// With strict end states all channels must be empty at the end, also when no process is left.
//! rule 2.11
//! pan -q
//! options --strict-end
//! plain 3/0/3/0/2 errors
//! verdict assertions holds
//! verdict deadlock violated
chan q = [2] of { byte };
active proctype A() { q!1 }
