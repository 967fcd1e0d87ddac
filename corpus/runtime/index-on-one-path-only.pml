// A bad index that is reached on one of two paths.
//! rule 2.17
//! differs pan goes on behind the error
//! verdict assertions violated
//! verdict deadlock holds
byte a[2], i, x;
active proctype A() { if :: i = 1 :: i = 2 fi; x = a[i] }
