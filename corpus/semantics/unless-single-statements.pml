// An unless between two single statements.
//! rule 2.7
//! plain 12/5/17/0/5 ok
byte x, e;
active proctype A() { x = 1 unless e == 1; x = 2 }
active proctype B() { e = 1 }
