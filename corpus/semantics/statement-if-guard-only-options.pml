// Options that are guards only.
//! rule a
//! plain 4/1/5/0/3 ok
byte x;
active proctype A() { if :: x == 0 :: x < 2 :: x > 5 fi; x = 4 }
