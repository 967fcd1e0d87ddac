// A process moves only if no process of higher priority can.
//! rule 2.9
//! plain 6/0/6/0/5 ok
byte x;
active proctype L() priority 1 { x = 1 }
active proctype H() priority 5 { assert(x == 0); x = 2 }
