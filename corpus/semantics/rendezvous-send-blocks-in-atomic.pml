// A rendezvous send in an atomic that finds no partner blocks there; the state is stored.
//! rule 2.3
//! plain 10/2/12/1/8 ok
chan c = [0] of { byte };
byte x;
active proctype S() { atomic { x = 1; c!1; x = 2 } }
active proctype R() { byte v; x == 1; c?v; assert(x >= 1) }
