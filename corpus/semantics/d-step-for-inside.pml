// A for loop in a d_step.
//! rule 2.4
//! plain 4/0/4/0/3 ok
byte i, s;
active proctype A() { d_step { for (i : 1 .. 4) { s = s + i } }; assert(s == 10 && i == 5) }
