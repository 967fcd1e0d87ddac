// A rendezvous receive as the first statement of a d_step.
//! rule 2.4
//! plain 6/1/7/0/5 ok
chan c = [0] of { byte };
byte x;
active proctype S() { c!4; assert(x == 5) }
active proctype R() { byte v; d_step { c?v; v++; x = v } }
