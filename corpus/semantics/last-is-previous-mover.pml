// The variable _last is the pid of the process that moved before.
//! rule 2.21
//! plain 8/0/8/0/7 ok
byte x;
active proctype A() { x == 1 && _last == 1; x = 2 }
active proctype B() { x = 1; x == 2 && _last == 0 -> assert(_last == 1) }
