// A value passed along three processes by two rendezvous.
//! rule 2.3
//! plain 7/0/7/0/8 ok
chan c = [0] of { byte };
chan d = [0] of { byte };
active proctype A() { c!3 }
active proctype B() { byte v; c?v; d!v + 1 }
active proctype C() { byte v; d?v; assert(v == 4) }
