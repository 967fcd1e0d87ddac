// A d_step whose first selection has no executable guard waits.
//! rule 2.4
//! plain 6/0/6/0/5 ok
byte x;
active proctype A() { d_step { if :: x == 1 :: x == 2 fi; x = 9 } }
active proctype B() { x = 2; x == 9 }
