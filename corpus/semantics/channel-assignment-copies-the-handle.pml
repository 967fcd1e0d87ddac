// Assigning a channel makes another name for the same channel.
//! rule 1.2
//! plain 7/0/7/0/6 ok
chan a = [1] of { byte };
chan b;
active proctype A() { byte v; b = a; a!5; assert(len(b) == 1 && a == b); b?v; assert(v == 5 && len(a) == 0) }
