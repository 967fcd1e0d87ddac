// An index that is too large in a read.
//! rule 2.17
//! differs pan goes on with what it finds behind the array
//! verdict assertions violated
//! verdict deadlock holds
byte a[2], i = 2, x;
active proctype A() { x = a[i] }
