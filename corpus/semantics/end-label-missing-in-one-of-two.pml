// Two receivers wait for ever and only one is at an end label: invalid end state in the initial state.
//! rule 2.11
//! plain 1/0/1/0/0 errors
//! verdict assertions holds
//! verdict deadlock violated
chan q = [1] of { byte };
active proctype A() { byte v; end_wait: q?v }
active proctype B() { byte v; q?v }
