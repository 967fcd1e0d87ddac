// With lossy channels a sorted send to a full channel is dropped too.
//! rule 2.12
//! spin -m
//! options --full-channel lose
//! plain 6/0/6/0/5 ok
chan q = [1] of { byte };
byte v;
active proctype A() { q!!2; q!!1; q?v; assert(v == 2 && empty(q)) }
