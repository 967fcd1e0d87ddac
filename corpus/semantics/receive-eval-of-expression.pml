// An eval may be any expression.
//! rule 1.3
//! plain 7/0/7/0/6 ok
chan q = [2] of { byte, byte };
byte k = 3;
active proctype A() { byte v; q!4,1; q?eval(k + 1),v; assert(v == 1); q!4,1; if :: q?eval(k),v -> assert(false) :: q?eval(k + 1),eval(v) fi }
