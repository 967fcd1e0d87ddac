// Parameters are separated by commas and semicolons and hold the arguments of run.
//! rule 1.2
//! plain 12/4/16/0/7 ok
chan q = [1] of { byte };
proctype P(byte a, b; chan c; bool d) { c!a + b; assert(d) }
init { byte r; run P(1, 2, q, true); q?r; assert(r == 3) }
