// A d_step that starts with a selection is executable when one guard is.
//! rule 2.4
//! plain 6/1/7/0/4 ok
byte x;
active proctype A() { d_step { if :: x == 5 -> x = 6 :: x == 1 -> x = 2 fi; x++ } }
active proctype B() { x = 1 }
