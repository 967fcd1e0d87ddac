// An else beside a rendezvous send inside an atomic.
//! rule 2.5
//! plain 6/1/7/5/8 ok
chan c = [0] of { byte };
byte x;
active proctype A() { atomic { x = 1; if :: c!1 -> x = x + 2 :: else -> x = x + 4 fi; x = x + 8 } }
active proctype B() { byte v; if :: c?v :: x >= 1 -> skip fi }
