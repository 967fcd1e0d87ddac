// A process that offers both ends of a rendezvous does not shake hands with itself.
//! rule 2.3
//! plain 1/0/1/0/1 errors
//! verdict assertions holds
//! verdict deadlock violated
chan c = [0] of { byte };
active proctype A() { byte v; if :: c!1 :: c?v fi }
