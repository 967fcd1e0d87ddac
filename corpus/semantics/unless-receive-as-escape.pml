// A buffered receive as guard of an escape.
//! rule 2.7
//! plain 22/8/30/0/6 ok
chan q = [1] of { byte };
byte x, v;
active proctype A() { { x = 1; x = 2; x = 3 } unless { q?v -> x = 9 } }
active proctype B() { q!1 }
