// An atomic that blocks for ever is an invalid end state.
//! rule 2.2
//! plain 8/1/9/3/3 errors
//! verdict assertions holds
//! verdict deadlock violated
byte x;
active proctype A() { atomic { x = 1; false; x = 2 } }
active proctype B() { x = 7 }
