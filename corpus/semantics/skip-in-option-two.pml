// Two skips in an option are both kept.
//! rule e
//! plain 4/0/4/0/3 ok
active proctype A() { if :: skip; skip fi }
