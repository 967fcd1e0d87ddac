// A remote reference with a pid.
//! rule 1.4
//! plain 47/27/74/0/9 errors
//! verdict assertions holds
//! verdict deadlock violated
byte x;
active [2] proctype A() { skip; here: x++ }
active proctype B() { A[1]@here -> x = 5 }
