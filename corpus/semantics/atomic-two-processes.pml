// Two processes with atomics do not mix.
//! rule 2.2
//! plain 9/2/11/10/8 ok
byte x;
active [2] proctype A() { byte t; atomic { t = x; t++; x = t } }
