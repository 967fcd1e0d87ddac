// A trace says in which order things happen on a channel.
//! verdict trace holds
chan q = [1] of { byte };
active proctype A() { q!1; q!2 }
active proctype B() { byte v; q?v; q?v }
trace { q!1; q?1; q!2; q?2 }
