// A break in an inline leaves the loop of the caller.
//! rule 1.1
//! plain 9/0/9/0/8 ok
byte x;
inline stop() { x = 9; break }
active proctype A() { do :: x < 2 -> x++ :: else -> stop() od; assert(x == 9) }
