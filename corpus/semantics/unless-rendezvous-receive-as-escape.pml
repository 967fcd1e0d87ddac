// A rendezvous receive as guard of an escape.
//! rule 2.7
//! plain 13/5/18/0/5 ok
chan c = [0] of { byte };
byte x;
active proctype A() { byte v; { x = 1; x = 2; x = 3 } unless { c?v -> x = 9 } }
active proctype B() { end: c!1 }
