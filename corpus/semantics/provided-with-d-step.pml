// A provided clause is not checked inside a d_step.
//! rule 2.8
//! plain 9/1/10/0/7 ok
bool ok = 1;
byte x;
active proctype A() provided (ok) { d_step { x = 1; ok = 0; x = 2 }; x = 3 }
active proctype B() { ok == 0 -> assert(x == 2); ok = 1 }
