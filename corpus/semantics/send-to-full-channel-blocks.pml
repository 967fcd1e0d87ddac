// A send to a full channel blocks.
//! rule 2.12
//! plain 3/0/3/0/2 errors
//! verdict assertions holds
//! verdict deadlock violated
chan q = [1] of { byte };
byte n;
active proctype A() { q!1; n++; q!2; n++ }
