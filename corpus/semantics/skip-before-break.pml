// Skips before a break.
//! rule e
//! plain 4/0/4/0/3 ok
byte x;
active proctype A() { do :: skip; skip; skip; break od; x = 1 }
