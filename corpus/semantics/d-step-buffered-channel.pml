// Buffered sends and receives are allowed in a d_step.
//! rule 2.4
//! plain 4/0/4/0/3 ok
chan q = [2] of { byte };
byte v;
active proctype A() { d_step { q!1; q!2; q?v }; assert(v == 1 && len(q) == 1) }
