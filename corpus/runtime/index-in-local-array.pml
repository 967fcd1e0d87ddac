// A bad index into a local array.
//! rule 2.17
//! differs pan writes behind the array
//! verdict assertions violated
//! verdict deadlock holds
active proctype A() { byte a[3]; byte i; for (i : 0 .. 3) { a[i] = i } }
