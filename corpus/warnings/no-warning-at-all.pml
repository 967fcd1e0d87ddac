// A clean model has no warnings.
//! rule 9
mtype = { ping, pong };
chan q = [1] of { mtype };
active proctype A() { q!ping; q?pong }
active proctype B() { q?ping; q!pong }
