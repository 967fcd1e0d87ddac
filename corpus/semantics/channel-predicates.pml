// The predicates empty, nempty, full and nfull, and len.
//! rule 1.4
//! plain 9/0/9/0/8 ok
chan q = [2] of { byte };
active proctype A() { empty(q) && nfull(q); q!1; nempty(q) && nfull(q); assert(len(q) == 1); q!2; full(q) && nempty(q); assert(len(q) == 2) }
