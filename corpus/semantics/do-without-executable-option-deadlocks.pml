// A loop without an executable option is a deadlock.
//! rule 1.3
//! plain 5/0/5/0/4 errors
//! verdict assertions holds
//! verdict deadlock violated
byte x;
active proctype A() { do :: x < 2 -> x++ od }
