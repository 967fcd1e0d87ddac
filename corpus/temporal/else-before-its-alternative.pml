// An `else` is about the whole choice, wherever it stands in it. pan: end state in claim reached.
//! verdict never_0 violated
byte x;
active proctype A() { x = 1 }
never { if :: else -> false :: x == 0 -> x == 1 fi }
