// Capacity 0 makes a rendezvous channel, more makes a buffer.
//! rule 1.2
//! plain 11/0/11/0/11 ok
chan r = [0] of { byte };
chan b = [2] of { byte };
active proctype A() { b!1; b!2; r!3 }
active proctype B() { byte v; r?v; assert(v == 3); b?v; assert(v == 1); b?v; assert(v == 2) }
