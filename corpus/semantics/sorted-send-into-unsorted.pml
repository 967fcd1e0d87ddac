// A sorted send into an unsorted channel goes before the first larger message.
//! rule 2.13
//! plain 11/0/11/0/10 ok
chan q = [4] of { byte };
byte v;
active proctype A() { q!5; q!1; q!!3; q?v; assert(v == 3); q?v; assert(v == 5); q?v; assert(v == 1) }
