// A selection without an executable option waits.
//! rule 1.3
//! plain 8/2/10/0/5 ok
byte x;
active proctype A() { if :: x == 1 -> x = 2 :: x == 3 -> x = 4 fi }
active proctype B() { x = 3 }
