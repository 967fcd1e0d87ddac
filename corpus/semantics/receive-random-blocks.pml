// A random receive without a match blocks.
//! rule 2.13
//! plain 2/0/2/0/1 errors
//! verdict assertions holds
//! verdict deadlock violated
chan q = [2] of { byte };
byte x;
active proctype A() { q!1; q??2; x = 1 }
