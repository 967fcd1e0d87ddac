// S5: such a claim accepts every run. pan: end state in claim reached (at depth 0).
//! verdict never_0 violated
byte x;
active proctype A() { x = 1 }
never { end: do :: x == 5 od }
