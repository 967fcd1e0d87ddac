// A division by zero in a guard.
//! rule 2.16
//! differs pan dies with SIGFPE
//! verdict assertions violated
//! verdict deadlock holds
byte x = 4, y;
active proctype A() { if :: x / y == 2 -> x = 1 :: else -> x = 2 fi }
