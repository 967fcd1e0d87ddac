// An inline call in a d_step.
//! rule 2.4
//! plain 4/0/4/0/3 ok
byte x;
inline up(n) { do :: x < n -> x++ :: else -> break od }
active proctype A() { d_step { up(2); up(5) }; assert(x == 5) }
