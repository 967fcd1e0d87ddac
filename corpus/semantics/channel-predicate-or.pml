// Predicates combined with or.
//! rule 1.4
//! plain 15/4/19/0/5 ok
chan q = [1] of { byte };
byte x;
active proctype A() { full(q) || x == 1; x = 2 }
active proctype B() { if :: q!1 :: x = 1 fi }
