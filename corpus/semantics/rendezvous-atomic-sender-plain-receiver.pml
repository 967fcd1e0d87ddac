// The rest of an atomic after a rendezvous send resumes atomically later.
//! rule 2.3
//! plain 18/12/30/7/9 ok
chan c = [0] of { byte };
byte x;
active proctype S() { atomic { c!1; x = 1; x = 2 } }
active proctype R() { byte v; c?v; assert(x != 1) }
active proctype T() { assert(x != 1) }
