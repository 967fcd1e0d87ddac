// A loop at an end label with a rendezvous.
//! rule 2.11
//! plain 9/2/11/0/4 errors
//! verdict assertions holds
//! verdict deadlock violated
chan c = [0] of { byte };
active proctype A() { byte v; end1: do :: c?v -> if :: v == 1 :: else -> false fi od }
active proctype B() { if :: c!1 :: c!2 fi }
