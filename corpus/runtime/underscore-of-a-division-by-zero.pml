// What is assigned to `_` is evaluated, too.
//! rule 2.16
//! differs pan dies with SIGFPE
//! verdict assertions violated
//! verdict deadlock holds
byte x;
active proctype A() { _ = 10 / x }
