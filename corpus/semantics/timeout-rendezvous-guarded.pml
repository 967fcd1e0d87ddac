// A timeout guard beside a rendezvous receive.
//! rule 2.6
//! plain 10/1/11/0/10 ok
chan c = [0] of { byte };
byte x;
active proctype A() { byte v; do :: c?v -> x++ :: timeout -> break od; assert(x == 2) }
active proctype B() { c!1; c!2 }
