// No timeout while a rendezvous is possible.
//! rule 2.6
//! plain 7/0/7/0/8 errors
//! verdict assertions holds
//! verdict deadlock violated
chan c = [0] of { byte };
byte x;
active proctype S() { c!1; c!2 }
active proctype R() { byte v; c?v }
active proctype T() { timeout -> x = 1; assert(_nr_pr >= 1) }
