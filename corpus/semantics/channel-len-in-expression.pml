// The length of a channel is an ordinary number.
//! rule 1.4
//! plain 14/0/14/0/13 ok
chan q = [3] of { byte };
active proctype A() { do :: len(q) < 3 -> q!len(q) * 2 :: else -> break od; assert(q?[0]); q?0; q?2; q?4; assert(!len(q)) }
