// An else in a process with a provided clause.
//! rule 2.5
//! plain 9/2/11/0/6 ok
bool ok;
byte x;
active proctype A() provided (ok) { if :: x == 1 -> x = 2 :: else -> x = 3 fi }
active proctype B() { x = 1; ok = true }
