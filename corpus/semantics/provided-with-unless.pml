// A provided clause holds back escapes too.
//! rule 2.8
//! plain 23/5/28/0/7 ok
bool ok = 1;
byte x, e;
active proctype A() provided (ok) { { x = 1; x = 2 } unless { e == 1 -> x = 9 } }
active proctype B() { ok = 0; e = 1; ok = 1 }
