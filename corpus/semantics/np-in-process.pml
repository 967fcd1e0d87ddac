// A claim with np_ does not change the plain count.
//! rule 1.4
//! plain 2/0/2/0/1 errors
//! verdict assertions holds
//! verdict deadlock violated
byte x;
active proctype A() { x = 1; progress: x == 2; x = 3 }
never { do :: np_ :: true od }
