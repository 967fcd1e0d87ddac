// A receive as first statement of a d_step decides when it is executable.
//! rule 2.4
//! plain 10/2/12/0/7 ok
chan q = [1] of { byte };
byte v, s;
active proctype A() { d_step { q?v; s = s + v }; d_step { q?v; s = s + v }; assert(s == 5) }
active proctype B() { q!2; q!3 }
