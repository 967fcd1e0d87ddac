// S5: the label is behind a condition that never holds. pan: 0 errors.
//! verdict never_0 holds
byte x;
active proctype A() { x = 1 }
never { do :: x == 0 :: x == 1 :: x == 2 -> break od; end: false }
