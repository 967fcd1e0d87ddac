// A rendezvous send as guard of an escape: without a partner it does not come first.
//! rule 2.7
//! plain 10/1/11/0/8 errors
//! verdict assertions holds
//! verdict deadlock violated
chan c = [0] of { byte };
byte x;
active proctype A() { { x = 1; x = 2; x = 3 } unless { c!1 -> x = 9 } }
active proctype B() { byte v; x == 2; end: c?v }
