// A d_step that starts with a selection with else is always executable.
//! rule 2.4
//! plain 10/1/11/0/4 ok
byte x;
active proctype A() { d_step { if :: x == 1 -> x = 5 :: else -> x = 9 fi; x++ } }
active proctype B() { x = 1 }
