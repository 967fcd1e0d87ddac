// Inside an atomic _last is the process itself.
//! rule 2.21
//! plain 11/1/12/2/5 ok
byte x;
active proctype A() { x = 1 }
active proctype B() { atomic { x = 2; assert(_last == 1) } }
