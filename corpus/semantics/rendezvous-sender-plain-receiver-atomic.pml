// A plain sender meets a receiver in an atomic, which then runs alone.
//! rule 2.3
//! plain 6/1/7/2/7 ok
chan c = [0] of { byte };
byte x;
active proctype S() { c!1; assert(x == 2) }
active proctype R() { byte v; atomic { c?v; x = 1; x = 2 } }
