// A send in an atomic hands control to a receiver in an atomic, which continues exclusively.
//! rule 2.3
//! plain 6/1/7/5/9 ok
chan c = [0] of { byte };
byte x;
active proctype S() { atomic { x = 1; c!5; x = 3; assert(x == 3) } }
active proctype R() { byte v; atomic { c?v; x = 2; v = x } }
