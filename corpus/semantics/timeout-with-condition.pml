// A timeout in a larger condition.
//! rule 2.6
//! plain 7/0/7/0/6 ok
byte x;
active proctype A() { timeout && x == 2 -> x = 3 }
active proctype B() { x = 1; x = 2 }
