// An underscore discards a field.
//! rule 1.3
//! plain 8/0/8/0/7 ok
chan q = [2] of { byte, byte };
byte v;
active proctype A() { q!1,2; q?_,v; assert(v == 2); q!3,4; q?v,_; assert(v == 3) }
