// A declaration in an atomic in a loop resets its variable.
//! rule 1.2
//! plain 8/0/8/6/13 ok
byte n, r;
active proctype A() { do :: n < 2 -> atomic { byte k; k++; r = r + k; n++ } :: else -> break od; assert(r == 2) }
