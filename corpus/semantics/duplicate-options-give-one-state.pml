// Two equal options give a match.
//! rule 3.2
//! plain 4/1/5/0/3 ok
byte x;
active proctype A() { if :: x = 1 :: x = 1 fi; x = 2 }
