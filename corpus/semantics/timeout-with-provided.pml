// A timeout when the only other process is stopped by its provided clause.
//! rule 2.6
//! plain 7/1/8/0/5 ok
bool ok;
byte x;
active proctype A() provided (ok) { x = 1 }
active proctype B() { timeout -> ok = true }
