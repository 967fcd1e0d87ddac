// Three levels of priority run in order.
//! rule 2.9
//! plain 9/0/9/0/8 ok
byte x;
active proctype A() priority 1 { assert(x == 2) }
active proctype B() priority 2 { assert(x == 1); x = 2 }
active proctype C() priority 3 { assert(x == 0); x = 1 }
