// A process that waits at an end label is in a valid end state.
//! rule 2.11
//! plain 5/1/6/0/3 ok
chan q = [1] of { byte };
active proctype A() { byte v; end: do :: q?v od }
active proctype B() { q!3 }
