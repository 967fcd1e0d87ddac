// A channel declared in a proctype is created fresh for each instance.
//! rule 1.2
//! plain 32/16/48/0/11 ok
proctype P(byte n) { chan c = [1] of { byte }; byte v; c!n; c?v; assert(v == n && empty(c)) }
init { run P(1); run P(2) }
