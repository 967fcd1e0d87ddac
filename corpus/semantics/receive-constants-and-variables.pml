// A receive with constants takes the message only if they match.
//! rule 1.3
//! plain 8/0/8/0/7 ok
mtype = { data, ack };
chan q = [2] of { mtype, byte };
byte v;
active proctype A() { q!data(3); q!ack,0; q?data(v); assert(v == 3); if :: q?data(v) -> assert(false) :: q?ack(v) -> assert(v == 0) fi }
