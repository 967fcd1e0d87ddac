// A select with a variable bound in an atomic.
//! rule 2.19
//! plain 10/0/10/11/10 ok
byte i, n = 4;
active proctype A() { atomic { select (i : 2 .. n); i++ }; assert(i >= 3 && i <= 5) }
