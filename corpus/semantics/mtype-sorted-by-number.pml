// A sorted send orders mtype names by their numbers.
//! rule 1.2
//! plain 8/0/8/0/7 ok
mtype = { a, b, c };
chan q = [3] of { mtype };
active proctype A() { q!!a; q!!b; q!!c; q?c; q?b; q?a }
