// A random receive without constants is an ordinary receive.
//! rule 2.13
//! plain 6/0/6/0/5 ok
chan q = [2] of { byte };
byte v;
active proctype A() { q!4; q!3; q??v; assert(v == 4) }
