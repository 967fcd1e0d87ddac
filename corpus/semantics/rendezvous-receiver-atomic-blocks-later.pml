// A receiver in an atomic gets control and then blocks.
//! rule 2.3
//! plain 6/0/6/3/8 ok
chan c = [0] of { byte };
byte x;
active proctype S() { atomic { c!1; x = 1; x = 2 } }
active proctype R() { byte v; atomic { c?v; x == 2; x = 3 } }
