// A poll with eval.
//! rule 1.3
//! plain 6/0/6/0/5 ok
chan q = [1] of { byte };
byte k = 5;
active proctype A() { q!5; q?[eval(k)]; k = 6; assert(!(q?[eval(k)])) }
