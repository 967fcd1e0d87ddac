// The variable _last is the pid of the process that moved before.
//! rule 2.21
//! plain 9/0/9/0/8 errors
//! verdict assertions violated
//! verdict deadlock holds
byte x;
active proctype A() { x == 1 -> assert(_last == 1); x = 2 }
active proctype B() { x = 1; x == 2 -> assert(_last == 0) }
