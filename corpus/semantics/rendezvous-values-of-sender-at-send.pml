// The arguments of a rendezvous are those of the moment.
//! rule 2.3
//! plain 12/3/15/0/7 ok
chan c = [0] of { byte };
byte x = 1;
active proctype S() { c!x }
active proctype T() { x = 2 }
active proctype R() { byte v; c?v; assert(v == 1 || v == 2) }
