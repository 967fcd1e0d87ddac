// A for loop costs the start, a guard and an increment per round, and the way out.
//! rule 2.19
//! plain 14/0/14/0/13 ok
byte x, s;
active proctype A() { for (x : 1 .. 3) { s = s + x }; assert(s == 6) }
