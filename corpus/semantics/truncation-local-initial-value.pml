// Initial values of locals are truncated, in the prefix and as a step.
//! rule 1.2
//! plain 6/0/6/0/5 ok
active proctype A() { byte x = 300; bit c = 2; assert(x == 44 && c == 0); short s = 70000; bit b = 3; assert(s == 4464 && b == 1) }
