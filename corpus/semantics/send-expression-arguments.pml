// Arguments of a send are expressions, evaluated at the send.
//! rule 1.3
//! plain 6/0/6/0/5 ok
chan q = [2] of { byte };
byte x = 3;
active proctype A() { q!x * 2 + 1; x = 0; q?x; assert(x == 7) }
