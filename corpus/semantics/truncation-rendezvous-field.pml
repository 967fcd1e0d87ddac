// Fields are truncated in a rendezvous too.
//! rule 2.14
//! plain 5/0/5/0/5 ok
chan c = [0] of { byte, bit };
active proctype S() { c!257,2 }
active proctype R() { int a, b; c?a,b; assert(a == 1 && b == 0) }
