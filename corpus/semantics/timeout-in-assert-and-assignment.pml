// The value of timeout in an assignment, where it does not block.
//! rule 2.6
//! plain 4/0/4/0/3 ok
byte x;
active proctype A() { x = timeout; assert(x == 0) }
