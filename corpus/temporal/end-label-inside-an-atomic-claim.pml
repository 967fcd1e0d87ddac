// S5: also inside an atomic sequence of the claim. pan: end state in claim reached (at depth 1).
//! verdict never_0 violated
byte x;
active proctype A() { x = 1 }
never { atomic { x == 0 -> end_a: x == 1 }; do :: x == 4 od }
