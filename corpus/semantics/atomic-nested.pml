// An atomic in an atomic changes nothing.
//! rule 2.2
//! plain 10/4/14/9/8 ok
byte x;
active proctype A() { atomic { x = 1; atomic { x = 2; x = 3 }; x = 4 }; x = 5 }
active proctype B() { assert(x == 0 || x >= 4) }
