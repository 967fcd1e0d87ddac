// A select with a variable bound in a d_step also takes the smallest value: its loop tries to leave before it counts.
//! rule 2.4
//! plain 4/0/4/0/3 ok
byte i, n = 6;
active proctype A() { d_step { select (i : 3 .. n) }; assert(i == 3) }
