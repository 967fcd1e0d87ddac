// A select in a d_step takes the smallest value of a literal range.
//! rule 2.4
//! plain 4/0/4/0/3 ok
byte i;
active proctype A() { d_step { select (i : 3 .. 6) }; assert(i == 3) }
