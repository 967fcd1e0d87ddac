// A random receive with eval takes the first message that matches, not the first.
//! rule 2.13
//! plain 8/0/8/0/7 ok
chan q = [4] of { byte };
byte k;
active proctype A() { q!5; q!4; k = 4; q??eval(k); assert(len(q) == 1); assert(q?[5]) }
