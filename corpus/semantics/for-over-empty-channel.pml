// A for loop over an empty channel does nothing.
//! rule f
//! plain 5/0/5/0/4 ok
typedef T { byte a };
chan q = [3] of { T };
T m;
byte s;
active proctype A() { for (m in q) { s++ }; assert(s == 0) }
