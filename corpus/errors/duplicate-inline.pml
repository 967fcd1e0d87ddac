// Two inlines of one name.
//! rule 10 row 7
//! error 5
inline f() { skip }
inline f() { skip }
active proctype A() { f() }
