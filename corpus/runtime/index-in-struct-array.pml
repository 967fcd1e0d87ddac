// A bad index into an array of structs.
//! rule 2.17
//! differs pan reads behind the array
//! verdict assertions violated
//! verdict deadlock holds
typedef T { byte v };
T t[2];
byte i = 2, x;
active proctype A() { x = t[i].v }
