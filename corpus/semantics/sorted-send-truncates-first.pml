// A sorted send compares the value that will be stored, so that the buffer is always sorted.
//! rule 2.13
//! differs Spin compares before it truncates
//! plain 8/0/8/0/7 ok
chan q = [2] of { byte };
byte v;
active proctype A() { q!!5; q!!257; q?v; assert(v == 1); q?v; assert(v == 5) }
