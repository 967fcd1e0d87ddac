// An array of channels is that many channels.
//! rule 1.2
//! plain 9/0/9/0/8 ok
chan c[3] = [1] of { byte };
active proctype A() { byte v; c[0]!4; c[2]!6; assert(len(c[1]) == 0 && len(c[0]) == 1); c[2]?v; assert(v == 6); c[0]?v; assert(v == 4) }
