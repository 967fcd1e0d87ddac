// Names of an mtype are numbered from the end, and a second declaration goes on above.
//! rule 1.2
//! plain 4/0/4/0/3 ok
mtype = { a, b, c };
mtype = { d, e };
active proctype A() { assert(a == 3 && b == 2 && c == 1); assert(e == 4 && d == 5) }
