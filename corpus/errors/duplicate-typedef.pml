// Two typedefs of one name.
//! rule 10 row 7
//! error 5
typedef T { byte a };
typedef T { byte b };
active proctype A() { skip }
