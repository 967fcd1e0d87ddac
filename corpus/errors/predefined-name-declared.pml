// A predefined name declared as a variable.
//! rule 10 row 14
//! error 4
byte _pid;
active proctype A() { skip }
