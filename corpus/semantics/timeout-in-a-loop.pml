// A timeout guard becomes executable once nothing else is.
//! rule 2.6
//! plain 8/0/8/0/7 ok
byte x;
active proctype A() { do :: x < 2 -> x++ :: timeout -> break od; assert(x == 2) }
