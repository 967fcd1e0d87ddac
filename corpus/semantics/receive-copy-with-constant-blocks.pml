// A copy receive with a constant that does not match blocks.
//! rule 1.3
//! plain 2/0/2/0/1 errors
//! verdict assertions holds
//! verdict deadlock violated
chan q = [1] of { byte };
active proctype A() { q!1; q?<2> }
