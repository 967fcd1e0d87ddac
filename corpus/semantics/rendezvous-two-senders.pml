// A receiver takes from either sender.
//! rule 2.3
//! plain 8/0/8/0/6 ok
chan c = [0] of { byte };
active [2] proctype S() { end: c!_pid }
active proctype R() { byte v; c?v; assert(v < 2) }
