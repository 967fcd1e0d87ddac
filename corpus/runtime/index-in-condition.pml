// A bad index in a guard.
//! rule 2.17
//! differs pan reads behind the array
//! verdict assertions violated
//! verdict deadlock holds
byte a[2] = 1, i;
active proctype A() { do :: a[i] == 1 -> i++ :: else -> break od }
