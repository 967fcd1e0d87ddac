// A provided clause also holds back the end of a process.
//! rule 2.8
//! plain 2/0/2/0/1 ok
bool ok = 1;
active proctype A() provided (ok) { ok = 0 }
