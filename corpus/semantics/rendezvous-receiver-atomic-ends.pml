// A receive that is the last statement of an atomic.
//! rule 2.3
//! plain 27/21/48/19/11 ok
chan c = [0] of { byte };
byte x;
active proctype S() { atomic { x = 1; c!1; x = 2; x = 3 } }
active proctype R() { byte v; atomic { v = 7; c?v }; assert(x != 2) }
active proctype T() { assert(x != 2) }
