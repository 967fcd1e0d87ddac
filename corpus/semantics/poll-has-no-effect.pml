// A poll looks at the first message and changes nothing.
//! rule 1.3
//! plain 9/0/9/0/8 ok
chan q = [2] of { byte, byte };
byte v = 9;
active proctype A() { assert(!(q?[1,2])); q!1,2; q?[1,2]; assert(q?[1,_] && !(q?[2,_])); assert(v == 9 && len(q) == 1); q?[1,v]; assert(v == 9) }
