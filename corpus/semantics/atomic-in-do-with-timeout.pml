// A timeout option beside atomics in a loop.
//! rule 2.6
//! plain 6/0/6/4/9 ok
byte x;
active proctype A() { do :: atomic { x < 4 -> x++; x++ } :: timeout -> break od; assert(x == 4) }
