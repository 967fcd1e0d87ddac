// The value of pc_value changes when the process moves.
//! rule 1.4
//! plain 9/0/9/0/8 ok
byte x, before;
active proctype A() { x == 1; x = 2 }
active proctype B() { before = pc_value(0); x = 1; x == 2; assert(pc_value(0) != before) }
