// A macro for a condition with a receive in it.
//! rule 1.1
//! plain 10/3/13/0/6 ok
#define ready q?[1]
chan q = [1] of { byte };
byte x;
active proctype A() { ready -> q?1; x = 1 }
active proctype B() { q!1 }
