// A name of an mtype in a receive is a constant to be matched; a variable is assigned.
//! rule 1.3
//! plain 5/0/5/0/4 ok
mtype = { a, b };
chan q = [1] of { mtype };
mtype m = a;
active proctype A() { q!b; if :: q?a -> assert(false) :: q?m -> assert(m == b) fi }
