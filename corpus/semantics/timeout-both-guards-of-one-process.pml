// Two timeout guards in one choice.
//! rule 2.6
//! plain 9/0/9/0/5 ok
byte x;
active proctype A() { if :: timeout -> x = 1 :: timeout -> x = 2 :: x == 7 fi }
active proctype B() { x = 3 }
