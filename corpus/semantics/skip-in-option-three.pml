// Of three skips in an option two are left.
//! rule e
//! plain 4/0/4/0/3 ok
active proctype A() { if :: skip; skip; skip fi }
