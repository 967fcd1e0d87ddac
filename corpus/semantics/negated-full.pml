// The negation of full.
//! rule 1.4
//! differs Spin has no negation of full; the tuple is that of the model with nfull
//! plain 5/0/5/0/4 ok
chan q = [1] of { byte };
active proctype A() { do :: !full(q) -> q!1 :: full(q) -> break od }
