// A select in an atomic.
//! rule 2.19
//! plain 10/0/10/6/5 ok
byte i;
active proctype A() { atomic { select (i : 2 .. 4); i++ }; assert(i >= 3 && i <= 5) }
