// A division by zero in one of two interleavings.
//! rule 2.16
//! differs pan dies with SIGFPE
//! verdict assertions violated
//! verdict deadlock holds
byte x = 4, y = 1;
active proctype A() { x = x / y }
active proctype B() { y = 0 }
