// An end label on a statement in an option counts only there.
//! rule 2.11
//! plain 3/0/3/0/1 errors
//! verdict assertions holds
//! verdict deadlock violated
byte x;
active proctype A() { if :: x = 1; end: x == 7 :: x = 2; x == 8 fi }
