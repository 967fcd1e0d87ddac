// An atomic that starts with a selection is executable if one of the guards is.
//! rule 2.2
//! plain 8/0/8/3/8 errors
//! verdict assertions holds
//! verdict deadlock violated
byte x;
active proctype A() { atomic { if :: x == 1 -> x = 2 :: x == 3 -> x = 4 fi; x = 5 } }
active proctype B() { x = 3; x = 6 }
