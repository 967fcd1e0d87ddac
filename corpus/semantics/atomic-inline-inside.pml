// An inline with a loop, called in an atomic.
//! rule c2
//! plain 10/4/14/21/12 ok
byte x;
inline up(n) { do :: x < n -> x++ :: else -> break od }
active proctype A() { atomic { x = 1; up(3); x++ }; assert(x == 4) }
active proctype B() { assert(x == 0 || x == 4) }
