// A receiver in an atomic whose provided clause turns false by its own step.
//! rule 2.8
//! plain 6/0/6/4/9 ok
chan c = [0] of { byte };
bool ok = 1;
byte x;
active proctype S() { atomic { c!1; x = x + 10; ok = 1 } }
active proctype R() provided (ok) { byte v; atomic { c?v; ok = 0; x = x + 1; x = x + 2 } }
