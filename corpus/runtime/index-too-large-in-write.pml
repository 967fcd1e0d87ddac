// An index that is too large in an assignment.
//! rule 2.17
//! differs pan writes behind the array and reports it twice
//! verdict assertions violated
//! verdict deadlock holds
byte a[2], i = 5;
active proctype A() { a[i] = 1 }
