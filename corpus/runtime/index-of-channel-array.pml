// A bad index into an array of channels.
//! rule 2.17
//! differs pan reads behind the array
//! verdict assertions violated
//! verdict deadlock holds
chan c[2] = [1] of { byte };
byte i = 2;
active proctype A() { c[i]!1 }
