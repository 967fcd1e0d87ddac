// A server that waits in a rendezvous at an end label.
//! rule 2.11
//! plain 4/0/4/0/5 ok
chan c = [0] of { byte };
active proctype S() { byte v; end: do :: c?v od }
active proctype C() { c!1; c!2 }
