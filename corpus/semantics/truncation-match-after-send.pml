// A constant is matched against the truncated value in the channel.
//! rule 2.14
//! plain 4/0/4/0/3 ok
chan q = [1] of { byte };
active proctype A() { q!256; q?0 }
