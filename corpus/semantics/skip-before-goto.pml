// Skips before a goto in an option.
//! rule e
//! plain 4/0/4/0/3 ok
byte x;
active proctype A() { if :: skip; skip; skip; goto L fi; x = 1; L: x = 2 }
