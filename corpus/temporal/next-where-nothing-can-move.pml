// S3: the run has no step at all.
//! verdict p violated
//! verdict q holds
byte x;
active proctype P() { false }
ltl p { X (x == 1) }
ltl q { X X X (x == 0) }
