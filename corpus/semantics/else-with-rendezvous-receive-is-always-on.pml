// Beside a rendezvous receive, else is executable even when a sender is waiting.
//! rule 2.5
//! plain 8/1/9/0/5 errors
//! verdict assertions holds
//! verdict deadlock violated
chan c = [0] of { byte };
byte x;
active proctype A() { byte v; if :: c?v -> x = 1 :: else -> x = 2 fi }
active proctype B() { c!1 }
