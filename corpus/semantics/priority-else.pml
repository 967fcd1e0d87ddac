// An else of a high process is a step that it can take at once.
//! rule 2.9
//! plain 7/0/7/0/6 ok
byte x;
active proctype L() priority 1 { x = 1; x = 2 }
active proctype H() priority 5 { if :: x == 1 -> x = 5 :: else -> x = 3 fi }
