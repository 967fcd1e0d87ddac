// S5: a claim accepts at its closing brace and at an `end` label. pan: end state in claim reached (at depth 6).
//! verdict never_0 violated
byte x;
active proctype A() { x = 1 }
never { do :: x == 0 -> skip :: x == 1 -> goto S od; S: x == 1; end: do :: x == 2 od }
