// The underscore may be assigned to; it is not part of the state.
//! rule 1.4
//! plain 4/1/5/0/3 ok
byte x;
active proctype A() { if :: _ = 1 :: _ = 2 fi; x = 1 }
