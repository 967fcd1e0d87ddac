// A process may send its own channel and get an answer through it.
//! rule 1.2
//! plain 8/0/8/0/7 ok
chan server = [1] of { chan };
active proctype S() { chan back; server?back; back!7 }
active proctype C() { chan mine = [1] of { byte }; byte v; server!mine; mine?v; assert(v == 7) }
