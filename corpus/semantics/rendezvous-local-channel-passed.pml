// A rendezvous channel of a process, handed to another.
//! rule 2.3
//! plain 7/1/8/0/6 ok
proctype P(chan c) { c!6 }
active proctype A() { chan mine = [0] of { byte }; byte v; run P(mine); mine?v; assert(v == 6) }
