// An ordinary label on a goto does not make it a step.
//! rule b
//! plain 5/1/6/0/4 ok
byte x;
active proctype A() { x = 1; here: goto L; x = 2; L: x = 3; if :: x == 3 -> x = 4; goto here :: x == 4 :: else fi }
