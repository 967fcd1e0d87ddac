// A sorted send compares the value as it is given, before it is truncated.
//! rule 2.13
//! plain 8/0/8/0/7 ok
chan q = [2] of { byte };
byte v;
active proctype A() { q!!5; q!!257; q?v; assert(v == 5); q?v; assert(v == 1) }
