// Nondeterminism in an atomic loop leads to several ends.
//! rule 2.2
//! plain 13/4/17/44/14 ok
byte x, n;
active proctype A() { atomic { do :: n < 3 -> n++; if :: x++ :: skip fi :: else -> break od }; n = 0 }
