// A variable that is never read is part of the state.
//! rule 3.2
//! plain 9/0/9/0/4 ok
byte w;
active proctype A() { if :: w = 1 :: w = 2 fi; skip; skip }
