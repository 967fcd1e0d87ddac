// Before the first step _last is 0.
//! rule 2.21
//! plain 4/0/4/0/3 ok
byte x;
active proctype A() { x = _last; assert(x == 0) }
