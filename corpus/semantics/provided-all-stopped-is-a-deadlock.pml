// Processes stopped in the middle by their provided clause are a deadlock.
//! rule 2.8
//! plain 3/0/3/0/2 errors
//! verdict assertions holds
//! verdict deadlock violated
byte x;
active proctype A() provided (x < 2) { x = 1; x = 2; x = 3 }
