// A rendezvous send in the main part of an unless.
//! rule 2.7
//! plain 4/0/4/0/3 ok
chan c = [0] of { byte };
byte x, e;
active proctype S() { { c!1; x = 1 } unless { e == 1 -> x = 2 } }
active proctype R() { byte v; e = 1; end: c?v }
