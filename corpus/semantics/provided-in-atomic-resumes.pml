// An atomic stopped by its provided clause goes on when the clause holds again.
//! rule 2.8
//! plain 11/2/13/5/10 ok
bool ok = 1;
byte x;
active proctype A() provided (ok) { atomic { x = 1; ok = 0; x = 2; x = 3 } }
active proctype B() { ok == 0 -> assert(x == 1); ok = 1; assert(x == 1 || x == 3) }
