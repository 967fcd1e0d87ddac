// A negative index.
//! rule 2.17
//! differs pan reads before the array
//! verdict assertions violated
//! verdict deadlock holds
byte a[2], x;
short i = -1;
active proctype A() { x = a[i] }
