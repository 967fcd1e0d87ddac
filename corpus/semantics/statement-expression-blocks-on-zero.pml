// An expression statement is executable if it is not 0, also when negative.
//! rule 1.3
//! plain 3/0/3/0/2 errors
//! verdict assertions holds
//! verdict deadlock violated
int x = -1;
active proctype A() { x; x + 1 == 0; x + 1 }
