// A remainder by zero.
//! rule 2.16
//! differs pan dies with SIGFPE
//! verdict assertions violated
//! verdict deadlock holds
byte x = 4, y;
active proctype A() { x = x % y }
