// A process may raise the priority of another.
//! rule 2.9
//! plain 6/0/6/0/5 ok
byte x;
active proctype A() priority 5 { set_priority(1, 9); x = 1 }
active proctype B() priority 1 { assert(x == 0) }
