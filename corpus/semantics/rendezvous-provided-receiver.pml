// A receiver whose provided clause is false takes part in no rendezvous.
//! rule 2.8
//! plain 11/3/14/0/8 ok
chan c = [0] of { byte };
bool ok;
byte x;
active proctype S() { c!1; x = 1 }
active proctype R() provided (ok) { byte v; c?v }
active proctype T() { assert(x == 0); ok = true }
