// An end label on a block counts for control at the block.
//! rule 2.11
//! plain 2/0/2/0/1 ok
byte x;
active proctype A() { x = 1; end: { x == 7; x = 2 } }
