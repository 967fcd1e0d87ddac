// Control goes to and fro between two atomics.
//! rule 2.3
//! plain 17/8/25/18/14 errors
//! verdict assertions violated
//! verdict deadlock holds
chan c = [0] of { byte };
chan d = [0] of { byte };
byte x;
active proctype A() { byte v; atomic { x = 1; c!1; x++; d?v; x++; assert(x > 2) } }
active proctype B() { byte v; atomic { c?v; x++; d!2; x++ } }
active proctype C() { assert(x != 2) }
