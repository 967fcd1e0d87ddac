// A process with a provided clause moves only while the clause holds.
//! rule 2.8
//! plain 9/0/9/0/8 ok
bool ok;
byte x;
active proctype A() provided (ok) { x = 1; x = 2 }
active proctype B() { assert(x == 0); ok = true; (x == 2); assert(x == 2) }
