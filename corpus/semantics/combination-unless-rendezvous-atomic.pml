// An escape by rendezvous out of an atomic.
//! rule 2.7
//! plain 8/1/9/2/8 ok
chan c = [0] of { byte };
byte x;
active proctype A() { byte v; { atomic { x = 1; x = 2; x == 9; x = 3 } } unless { c?v -> x = 7 } }
active proctype B() { x == 2 -> c!1 }
