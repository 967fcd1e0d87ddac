// A struct with a channel in it, sent in a message.
//! rule 1.2
//! plain 10/0/10/0/9 ok
typedef Req { byte n; chan back };
chan q = [1] of { Req };
active proctype S() { Req r; q?r; r.back!r.n + 1 }
active proctype C() { chan mine = [1] of { byte }; Req r; byte v; r.n = 4; r.back = mine; q!r; mine?v; assert(v == 5) }
