// A rendezvous inside a nested atomic followed by a goto out of both.
//! rule 2.3
//! plain 11/4/15/1/8 ok
chan c = [0] of { byte };
byte x;
active proctype A() { atomic { x = 1; atomic { c!1; goto L }; x = 2 }; x = 3; L: x = x + 4 }
active proctype B() { byte v; c?v; x = x + 8 }
