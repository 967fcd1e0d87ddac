// A send in an atomic may go to either of two receivers in atomics.
//! rule 2.3
//! plain 18/5/23/13/13 ok
chan c = [0] of { byte };
byte x;
active proctype S() { atomic { c!1; x = x + 10; c!2; x = x + 20 } }
active proctype R1() { byte v; atomic { c?v; x = x + v; x = x + v } }
active proctype R2() { byte v; atomic { c?v; x = x + 3 * v; x++ } }
