// A jump to a label on the first statement of an option of a selection.
//! rule 1.3
//! plain 8/1/9/0/4 ok
byte x;
active proctype A() { if :: L: x = 1 :: x == 0 -> x = 2 fi; if :: x == 1 -> x = 5; goto L :: else fi }
