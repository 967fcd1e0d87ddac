// A rendezvous send as guard of an atomic.
//! rule 2.3
//! plain 10/2/12/3/11 ok
chan c = [0] of { byte };
byte x;
active proctype S() { do :: atomic { c!1; x++; x++ } :: x >= 4 -> break od }
active proctype R() { byte v; c?v; c?v }
