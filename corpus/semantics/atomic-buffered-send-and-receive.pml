// Buffered sends and receives in an atomic; the send that finds the channel full blocks.
//! rule 2.2
//! plain 9/0/9/2/8 ok
chan q = [1] of { byte };
byte v;
active proctype A() { atomic { q!1; q!2; q!3 } }
active proctype B() { q?v; q?v; q?v }
