// A rendezvous send at the end of an atomic.
//! rule 2.3
//! plain 6/1/7/3/8 ok
chan c = [0] of { byte };
byte x;
active proctype S() { atomic { x = 1; c!1 }; x = 2 }
active proctype R() { byte v; atomic { c?v; v = x; assert(v == 1) } }
