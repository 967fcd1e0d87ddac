// A select at the end of an atomic.
//! rule 2.19
//! plain 10/0/10/4/5 ok
byte i;
active proctype A() { atomic { i = 9; select (i : 2 .. 4) }; assert(i >= 2 && i <= 4) }
