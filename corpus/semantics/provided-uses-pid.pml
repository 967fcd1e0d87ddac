// A provided clause may use _pid to hand out turns.
//! rule 2.8
//! plain 5/0/5/0/4 ok
byte turn, x;
active [2] proctype A() provided (turn == _pid) { x++; turn = 1 - _pid }
