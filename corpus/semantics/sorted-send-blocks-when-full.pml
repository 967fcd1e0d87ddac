// A sorted send to a full channel blocks.
//! rule 2.13
//! plain 2/0/2/0/1 errors
//! verdict assertions holds
//! verdict deadlock violated
chan q = [1] of { byte };
active proctype A() { q!!2; q!!1 }
