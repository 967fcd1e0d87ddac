// A random receive takes the oldest of several matches.
//! rule 2.13
//! plain 9/0/9/0/8 ok
chan q = [4] of { byte, byte };
byte v;
active proctype A() { q!1,9; q!2,8; q!2,7; q??2,v; assert(v == 8); q??eval(len(q)),v; assert(v == 7) }
