// An unless in an inline that is called twice.
//! rule 2.7
//! plain 39/20/59/0/8 ok
byte x, e;
inline guarded(v) { { x = v; x = v + 1 } unless { e == v -> x = 9 } }
active proctype A() { guarded(1); guarded(5) }
active proctype B() { e = 1; e = 5 }
