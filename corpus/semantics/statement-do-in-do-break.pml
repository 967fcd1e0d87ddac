// A break leaves only the innermost loop.
//! rule b
//! plain 20/0/20/0/19 ok
byte x, y;
active proctype A() { do :: x < 2 -> y = 0; do :: y < 2 -> y++ :: else -> break od; x++ :: else -> break od; assert(y == 2) }
