// Skips in both parts of an unless.
//! rule e
//! plain 19/9/28/0/7 ok
byte e;
active proctype A() { { skip; skip; skip } unless { e -> skip; skip; skip } }
active proctype B() { e = 1 }
