// A random poll looks at all messages.
//! rule 1.3
//! plain 7/0/7/0/6 ok
chan q = [2] of { byte };
active proctype A() { q!1; q!2; assert(!(q?[2])); assert(q??[2]); assert(!(q??[3])) }
