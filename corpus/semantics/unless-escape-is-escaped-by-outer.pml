// An inner escape that has begun is still under the outer escape.
//! rule 2.7
//! plain 40/16/56/0/8 ok
byte x, e, d;
active proctype A() { { { x = 1; x = 2 } unless { e == 1 -> x = 3; x = 4; x = 5 } } unless { d == 1 -> x = 9 } }
active proctype B() { e = 1; d = 1 }
