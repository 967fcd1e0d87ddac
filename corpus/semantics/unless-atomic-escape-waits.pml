// An atomic escape that blocks after its guard.
//! rule 2.7
//! plain 19/6/25/6/8 ok
byte x, e;
active proctype A() { { x = 1; x = 2 } unless { atomic { e == 1 -> x = 7; e == 2; x = 8 } } }
active proctype B() { e = 1; e = 2 }
