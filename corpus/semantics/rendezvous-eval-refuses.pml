// A rendezvous whose eval does not match does not happen.
//! rule 2.3
//! plain 1/0/1/0/1 errors
//! verdict assertions holds
//! verdict deadlock violated
chan c = [0] of { byte };
byte k = 3;
active proctype S() { c!2 }
active proctype R() { c?eval(k) }
