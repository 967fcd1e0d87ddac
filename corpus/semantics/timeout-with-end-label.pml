// A timeout is taken even when all others are in valid end states.
//! rule 2.6
//! plain 9/2/11/0/6 ok
chan q = [1] of { byte };
byte x;
active proctype A() { byte v; end: q?v; x = 1 }
active proctype B() { timeout -> q!1 }
