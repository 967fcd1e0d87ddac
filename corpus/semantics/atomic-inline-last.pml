// An inline with a loop, called last in an atomic.
//! rule d
//! plain 10/4/14/21/12 ok
byte x;
inline up(n) { do :: x < n -> x++ :: else -> break od }
active proctype A() { atomic { x = 1; up(3) }; assert(x == 3) }
active proctype B() { assert(x == 0 || x == 3) }
