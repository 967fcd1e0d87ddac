// A random receive takes a message from the middle; the others close up.
//! rule 2.13
//! plain 10/0/10/0/9 ok
chan q = [3] of { byte, byte };
byte v;
active proctype A() { q!1,5; q!2,6; q!3,7; q??2,v; assert(v == 6 && len(q) == 2); q?1,v; q?3,v; assert(v == 7) }
