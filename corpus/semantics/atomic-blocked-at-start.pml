// An atomic whose first statement blocks starts when it becomes executable.
//! rule 2.2
//! plain 8/2/10/6/7 ok
byte x;
active proctype A() { atomic { x == 1; x = 2; x = 3 } }
active proctype B() { x = 1; assert(x == 1 || x == 3) }
