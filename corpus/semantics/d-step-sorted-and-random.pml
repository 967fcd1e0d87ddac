// Sorted sends and random receives in a d_step.
//! rule 2.4
//! plain 4/0/4/0/3 ok
chan q = [3] of { byte };
byte v;
active proctype A() { d_step { q!!3; q!!1; q!!2; q??3; q?v }; assert(v == 1 && len(q) == 1) }
