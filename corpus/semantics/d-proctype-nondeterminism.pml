// A D_proctype with two executable options is an error.
//! rule 2.22
//! plain 3/1/4/0/2 errors
//! verdict assertions violated
//! verdict deadlock holds
byte x;
active D_proctype A() { if :: x = 1 :: x = 1 fi }
