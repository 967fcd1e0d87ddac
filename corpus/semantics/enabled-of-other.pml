// The function enabled tells whether another process can move.
//! rule 1.4
//! plain 16/6/22/0/8 ok
byte x;
active proctype A() { x == 1; x = 2 }
active proctype B() { assert(!enabled(0)); x = 1; if :: enabled(0) -> skip :: else -> skip fi }
