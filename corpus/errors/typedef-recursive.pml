// A struct that contains itself.
//! rule 10 row 23
//! error 4
typedef T { byte a; T next };
active proctype A() { skip }
