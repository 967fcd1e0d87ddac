// A D_proctype that has a choice in the second step.
//! rule 2.22
//! plain 8/0/8/0/4 errors
//! verdict assertions violated
//! verdict deadlock holds
byte x;
active D_proctype A() { x = 1; if :: x == 1 -> x = 2 :: x < 2 -> x = 3 fi }
