// A bit or bool keeps one bit.
//! rule 1.2
//! plain 12/0/12/0/11 ok
bit x;
bool y;
active proctype A() { x = 2; assert(x == 0); x = 3; assert(x == 1); y = 4; assert(!y); x = -1; assert(x == 1); x++; assert(x == 0) }
