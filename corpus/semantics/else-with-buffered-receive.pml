// Beside a buffered receive, else is taken when the channel is empty.
//! rule 2.5
//! plain 15/4/19/0/5 ok
chan q = [1] of { byte };
byte x;
active proctype A() { byte v; if :: q?v -> x = 1 :: else -> x = 2 fi }
active proctype B() { q!1 }
