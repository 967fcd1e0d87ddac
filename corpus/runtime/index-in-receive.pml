// A bad index in the target of a receive.
//! rule 2.17
//! differs pan writes behind the array
//! verdict assertions violated
//! verdict deadlock holds
chan q = [1] of { byte };
byte a[2], i = 3;
active proctype A() { q!1; q?a[i] }
