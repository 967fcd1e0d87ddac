// An else beside a rendezvous send and a condition.
//! rule 2.5
//! plain 17/7/24/0/10 ok
chan c = [0] of { byte };
byte x;
active proctype A() { do :: c!1 -> x++ :: x >= 2 -> break :: else -> x = 5 od }
active [2] proctype B() { byte v; end: c?v }
