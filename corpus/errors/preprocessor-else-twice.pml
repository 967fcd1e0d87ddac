// Two alternatives of one condition.
//! rule 10 row 21
//! error 8
#ifdef FOO
byte x;
#else
byte y;
#else
byte z;
#endif
active proctype A() { skip }
