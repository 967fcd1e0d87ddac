// Beside a rendezvous send, else is taken only when no partner is ready.
//! rule 2.5
//! plain 6/1/7/0/5 ok
chan c = [0] of { byte };
byte x;
active proctype A() { if :: c!1 -> x = 1 :: else -> x = 2 fi }
active proctype B() { byte v; c?v }
