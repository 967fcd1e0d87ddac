// The negation of empty, nempty and nfull.
//! rule 1.4
//! differs Spin has no negation of them; the tuple is that of the model without negations
//! plain 6/0/6/0/5 ok
chan q = [1] of { byte };
active proctype A() { !nempty(q); q!1; !empty(q); !nfull(q) }
