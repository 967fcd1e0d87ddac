// The receiver leaves its atomic by a goto.
//! rule 2.3
//! plain 8/2/10/2/8 ok
chan c = [0] of { byte };
byte x;
active proctype S() { atomic { c!1; x = x + 5 } }
active proctype R() { byte v; atomic { c?v; x = 1; goto L }; x = 2; L: x = x + 3 }
