// A disjunction with timeout is executable as soon as the other part holds.
//! rule 2.6
//! plain 14/2/16/0/6 ok
byte x;
active proctype A() { x == 1 || timeout -> x = x + 5 }
active proctype B() { x = 1; x = 2 }
