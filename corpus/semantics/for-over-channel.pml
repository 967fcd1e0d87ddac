// A for loop over the messages of a channel leaves them as they were.
//! rule f
//! differs Spin accepts only a struct as loop variable; the tuple is that of the model with a struct of one field
//! plain 25/0/25/0/24 ok
chan q = [3] of { byte };
byte m, s;
active proctype A() { q!1; q!2; q!4; for (m in q) { s = s + m }; assert(s == 7 && len(q) == 3); q?m; assert(m == 1) }
