// A condition that is no expression.
//! rule 10 row 21
//! error 4
#if 1 +
byte x;
#endif
active proctype A() { skip }
