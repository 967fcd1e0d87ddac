// A for loop in an atomic.
//! rule 2.2
//! plain 7/2/9/36/16 ok
byte i, s;
active proctype A() { atomic { for (i : 1 .. 3) { s = s + i }; assert(s == 6) } }
active proctype B() { assert(s == 0 || s == 6) }
